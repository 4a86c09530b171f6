'use strict';
(() => {
  const data = JSON.parse(document.getElementById('data').textContent);
  const byId = (id) => document.getElementById(id);
  const tbody = byId('rows');
  const pageSize = 200;
  const outcomes = ['no expectation', 'passed', 'as before', 'not scored', 'failed'];
  const filters = {q: byId('q'), outcome: byId('outcome'), expectation: byId('f-expectation'), agent: byId('f-agent'), metric: byId('f-metric')};
  let shown = data.rows, limit = pageSize, sort = {key: '', down: false};

  // el makes an element. Text is only ever set as text: nothing that a span says becomes mark-up.
  function el(tag, attributes, ...children) {
    const e = document.createElement(tag);
    for (const [k, v] of Object.entries(attributes || {})) e.setAttribute(k, v);
    for (const c of children) e.append(c);
    return e;
  }
  function svg(tag, attributes) {
    const e = document.createElementNS('http://www.w3.org/2000/svg', tag);
    for (const [k, v] of Object.entries(attributes)) e.setAttribute(k, v);
    return e;
  }
  const words = (s) => s.replaceAll('_', ' ');
  const took = (ms) => ms >= 1000 ? (ms / 1000).toFixed(1) + ' s' : ms.toFixed(ms < 10 ? 1 : 0) + ' ms';

  // A row's values for sorting and filtering.
  const value = {
    where: (r) => r.i, agent: (r) => run(r).agent, expectation: (r) => asked(r), metric: (r) => r.metric,
    score: (r) => r.score ?? -1, outcome: (r) => outcomes.indexOf(r.outcome), ms: (r) => run(r).ms, reason: (r) => r.reason,
  };
  const asked = (r) => r.expectation + (r.case ? ': ' + r.case : '');
  const run = (r) => data.runs[r.run];
  data.rows.forEach((r, i) => { r.i = i; });
  function haystack(r) {
    return r.text ??= [run(r).where, run(r).trace, run(r).span, run(r).agent, run(r).conversation, asked(r), r.metric, r.reason,
      ...run(r).calls.map((c) => c.name), ...r.steps.map((s) => s.tool)].join('\n').toLowerCase();
  }

  function matches(r) {
    if (filters.outcome.value && r.outcome !== filters.outcome.value) return false;
    if (filters.expectation.value && r.expectation !== filters.expectation.value) return false;
    if (filters.agent.value && run(r).agent !== filters.agent.value) return false;
    if (filters.metric.value && r.metric !== filters.metric.value) return false;
    const q = filters.q.value.trim().toLowerCase();
    return !q || q.split(/\s+/).every((word) => haystack(r).includes(word));
  }

  function refresh() {
    shown = data.rows.filter(matches);
    if (sort.key) {
      const of = value[sort.key], sign = sort.down ? -1 : 1;
      shown.sort((a, b) => { const x = of(a), y = of(b); return (x < y ? -1 : x > y ? 1 : 0) * sign || a.i - b.i; });
    }
    draw();
  }

  function draw() {
    tbody.replaceChildren(...shown.slice(0, limit).map(rowOf));
    byId('shown').textContent = shown.length + ' of ' + data.rows.length + ' verdicts';
    byId('more').hidden = shown.length <= limit;
  }

  function rowOf(r) {
    const u = run(r);
    const open = el('button', {type: 'button', class: 'open', 'aria-expanded': 'false'}, u.where);
    const tr = el('tr', {id: r.id}, el('td', {}, open), el('td', {}, u.agent || '-'), el('td', {}, asked(r) || '-'), el('td', {}, r.metric || '-'),
      el('td', {class: 'n'}, r.score === null ? '-' : r.score.toFixed(3)), el('td', {class: r.outcome.replace(' ', '-')}, r.outcome),
      el('td', {class: 'n'}, took(u.ms)), el('td', {}, r.reason));
    open.addEventListener('click', () => toggle(r, tr, open));
    return tr;
  }

  function toggle(r, tr, open) {
    if (open.getAttribute('aria-expanded') === 'true') {
      tr.nextSibling.remove();
      open.setAttribute('aria-expanded', 'false');
      return;
    }
    open.setAttribute('aria-expanded', 'true');
    tr.after(el('tr', {class: 'detail'}, el('td', {colspan: '8'}, detail(r))));
    history.replaceState(null, '', '#' + r.id);
  }

  function detail(r) {
    const u = run(r), box = el('div', {role: 'group', 'aria-label': 'Details of ' + u.where});
    const ids = el('dl');
    const fact = (k, v) => { if (v) ids.append(el('dt', {}, k), el('dd', {}, v)); };
    fact('trace', el('code', {}, u.trace));
    fact('span', u.span && el('code', {}, u.span));
    fact('conversation', u.conversation);
    fact('file', u.file);
    fact('closed by', u.closedBy + (u.complete ? '' : ', not complete' + (u.because ? ': ' + u.because.join(', ') : '')));
    fact('rejected', u.rejected && u.rejected.join(', '));
    fact('link', el('a', {href: '#' + r.id}, 'to this run'));
    if (u.url) fact('trace in the backend', el('a', {href: u.url, rel: 'noreferrer'}, u.url));
    box.append(ids);
    for (const other of data.rows.filter((o) => o.run === r.run)) box.append(verdict(other));
    box.append(timeline(r));
    if (u.calls.some((c) => c.arguments !== undefined)) box.append(values(u));
    return box;
  }

  function verdict(r) {
    const box = el('div', {class: 'verdict'});
    const head = (r.metric || 'no metric') + (r.expectation ? ', expectation ' + asked(r) : '');
    box.append(el('h3', {}, head), el('p', {}, el('strong', {class: r.outcome.replace(' ', '-')}, r.outcome),
      r.score === null ? ' (' + words(r.status) + ')' : ', score ' + r.score.toFixed(3) + ', threshold ' + r.threshold, r.reason ? '. ' + r.reason : ''));
    if (r.steps.length) box.append(alignment(r), differences(r));
    return box;
  }

  // alignment draws what was expected on the left, what was called on the right, and a line for each pair.
  function alignment(r) {
    const most = 300, rowHeight = 36, calls = run(r).calls.slice(0, most);
    const expected = r.steps.filter((s) => s.tool).slice(0, most);
    const fates = new Map(r.steps.filter((s) => s.call >= 0).map((s) => [s.call, s]));
    const left = el('ol', {'aria-label': 'Expected'}), right = el('ol', {'aria-label': 'Called'});
    const height = Math.max(expected.length, calls.length) * rowHeight;
    const lines = svg('svg', {height, 'aria-hidden': 'true', viewBox: '0 0 100 ' + height, preserveAspectRatio: 'none'});
    expected.forEach((s, i) => {
      const to = s.call >= 0 ? ' → call ' + (s.call + 1) : '';
      left.append(el('li', {class: s.fate, title: s.tool}, s.tool + to + ': ' + words(s.fate)));
      if (s.call >= 0 && s.call < most) {
        lines.append(svg('line', {class: s.fate, x1: 0, x2: 100, y1: i * rowHeight + 16, y2: s.call * rowHeight + 16, 'vector-effect': 'non-scaling-stroke'}));
      }
    });
    calls.forEach((c, j) => {
      const s = fates.get(j), fate = s ? s.fate : 'uncertain';
      right.append(el('li', {class: fate, title: c.name}, (j + 1) + '. ' + c.name + (c.status === 'error' ? ' (error)' : '') + ': ' + words(fate)));
    });
    if (!expected.length) left.append(el('li', {}, 'nothing'));
    if (!calls.length) right.append(el('li', {}, 'nothing'));
    const box = el('div', {class: 'align'}, el('div', {class: 'side'}, 'Expected'), el('div', {class: 'side'}), el('div', {class: 'side'}, 'Called'), left, el('div', {}, lines), right);
    const more = Math.max(r.steps.filter((s) => s.tool).length, run(r).calls.length) - most;
    return more > 0 ? el('div', {}, box, el('p', {}, 'and ' + more + ' more')) : box;
  }

  function differences(r) {
    const bad = r.steps.filter((s) => s.paths && s.paths.length);
    if (!bad.length) return '';
    const body = el('tbody');
    for (const s of bad) {
      const call = run(r).calls[s.call];
      body.append(el('tr', {}, el('td', {}, s.tool + ' → call ' + (s.call + 1)), el('td', {}, s.paths.join(', ')),
        el('td', {}, json(s.arguments, s.output)), el('td', {}, call ? json(call.arguments, s.output === undefined ? undefined : call.output) : '')));
    }
    return el('table', {}, el('caption', {}, 'What differs'),
      el('thead', {}, el('tr', {}, ...['tool', 'at', 'expected', 'called'].map((t) => el('th', {scope: 'col'}, t)))), body);
  }

  function json(...all) {
    const text = all.filter((v) => v !== undefined).map((v) => JSON.stringify(v, null, 1)).join('\n');
    return text ? el('pre', {tabindex: '0'}, text) : 'not shown';
  }

  function timeline(r) {
    const u = run(r), same = data.runs.filter((o) => o.trace === u.trace);
    const begin = Math.min(...same.map((o) => o.start)), end = Math.max(...same.map((o) => o.start + o.ms), begin + 0.001);
    const box = el('div', {class: 'time'});
    const bar = (name, kind, start, ms) => {
      const left = 100 * (start - begin) / (end - begin), width = 100 * ms / (end - begin);
      const i = el('i');
      i.style.left = Math.min(left, 99.8) + '%';
      i.style.width = Math.max(0, Math.min(width, 100 - left)) + '%';
      box.append(el('span', {title: name}, name), el('div', {class: kind}, i), el('span', {class: 'n'}, took(ms)));
    };
    for (const o of same.slice(0, 50)) {
      bar('agent ' + (o.agent || 'without a name') + (o === u ? ' (this run)' : ''), 'agent', o.start, o.ms);
      for (const c of (o === u ? o.calls.slice(0, 100) : [])) bar('· ' + c.name, 'call', c.start, c.ms);
    }
    return el('section', {}, el('h3', {}, 'Time line'), box);
  }

  function values(u) {
    const body = el('tbody');
    u.calls.slice(0, 300).forEach((c, i) => body.append(el('tr', {}, el('td', {}, (i + 1) + '. ' + c.name), el('td', {}, json(c.arguments)), el('td', {}, json(c.output)))));
    return el('table', {}, el('caption', {}, 'Values'), el('thead', {}, el('tr', {}, ...['call', 'arguments', 'output'].map((t) => el('th', {scope: 'col'}, t)))), body);
  }

  // follow opens the run that the address names.
  function follow() {
    const at = data.rows.find((r) => '#' + r.id === location.hash);
    if (!at) return;
    let i = shown.indexOf(at);
    if (i < 0) {
      byId('filters').reset();
      refresh();
      i = shown.indexOf(at);
    }
    if (i >= limit) {
      limit = i + pageSize;
      draw();
    }
    const tr = byId(at.id), open = tr.querySelector('.open');
    if (open.getAttribute('aria-expanded') === 'false') toggle(at, tr, open);
    open.focus();
    tr.scrollIntoView({block: 'start'});
  }

  for (const th of document.querySelectorAll('#table thead th')) {
    th.querySelector('button').addEventListener('click', () => {
      sort = {key: th.dataset.key, down: sort.key === th.dataset.key && !sort.down};
      for (const other of document.querySelectorAll('#table thead th')) other.removeAttribute('aria-sort');
      th.setAttribute('aria-sort', sort.down ? 'descending' : 'ascending');
      refresh();
    });
  }
  for (const f of Object.values(filters)) f.addEventListener('input', () => { limit = pageSize; refresh(); });
  byId('filters').addEventListener('submit', (e) => e.preventDefault());
  byId('filters').addEventListener('reset', () => setTimeout(refresh));
  byId('more').addEventListener('click', () => { limit += 5 * pageSize; draw(); });
  addEventListener('hashchange', follow);
  refresh();
  // Behind the browser's own way to the anchor, which would take the focus away.
  addEventListener('load', () => setTimeout(follow));
})();
