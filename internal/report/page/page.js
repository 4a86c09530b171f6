'use strict';
(() => {
  const byId = (id) => document.getElementById(id);
  const pageSize = 200, most = 300;
  const outcomes = ['failed', 'not scored', 'as before', 'passed', 'no expectation'];
  // What went wrong, in the order in which a person would mend it.
  const faults = ['Forbidden call', 'Too many calls', 'Rule broken', 'Missing call', 'Wrong arguments', 'Wrong output', 'Wrong type', 'Condition not met', 'Out of order', 'Repeated call',
    'Call not allowed', 'Unexpected call', 'Low score', 'Not scored'];
  const titles = {passed: 'Passed', 'as before': 'Did not pass before either', 'no expectation': 'Without an expectation', failed: 'Failed', 'not scored': 'Not scored'};
  const selects = ['Outcome', 'Case', 'Expectation', 'Agent'];
  const opened = new Set(), unfolded = new Set();
  let data, shown, limit = pageSize, sort = {};

  // el makes an element. Text is only ever set as text: nothing that a span says becomes mark-up. Characters without a shape, which could
  // rearrange others, are escapes. A long name may be divided behind its separators, and no other word.
  function el(tag, attributes, ...children) {
    const e = document.createElement(tag);
    for (const [k, v] of Object.entries(attributes || {})) e.setAttribute(k, seen(v));
    for (const c of children.flat()) {
      if (c instanceof Node) e.append(c);
      else e.append(...divided(seen(c ?? ''), /(?<=[^\s]{8}[_./|:-])(?=[^\s]{8})/u));
    }
    return e;
  }
  const divided = (s, at) => s.split(at).flatMap((part, i) => (i ? [document.createElement('wbr'), part] : part));
  const narrow = (s) => divided(seen(s), /(?<=[_./|:-])(?=\w{3})|(?=[([])/);
  const seen = (s) => String(s).replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, (c) => (c === '\n' ? c : '\\u' + c.codePointAt(0).toString(16).padStart(4, '0')));
  const words = (s) => s.replaceAll('_', ' '), css = (s) => s.replace(' ', '-'), plural = (n, s) => n + ' ' + s + (n === 1 ? '' : 's');
  const took = (ms) => (ms >= 1000 ? (ms / 1000).toFixed(1) + ' s' : ms.toFixed(ms < 10 ? 1 : 0) + ' ms');
  const started = (u) => (u.Start ? new Date(u.Start).toISOString().slice(data.day ? 11 : 0, 19).replace('T', ' ') : '');
  // A score that is too low never looks like its threshold, nor like 1.
  const number = (v) => [2, 3, 4, 6].map((n) => v.Score.toFixed(n)).find((s) => !(v.Score < v.Threshold && s >= v.Threshold) && !(v.Score < 1 && s >= 1)) ?? String(v.Score);
  const asked = (v) => [v.Expectation, v.Case].filter(Boolean).join(': ');
  const sentence = (s) => { const t = s.replace(/^(Failed|Passed|Not scored): /, ''); return t.charAt(0).toUpperCase() + t.slice(1); };

  // show draws the data; again, when there is newer data.
  function show(next) {
    data = next;
    data.Runs = data.Runs || [];
    const metrics = new Set(data.Runs.flatMap((u) => u.Verdicts.map((v) => v.Metric)).filter(Boolean));
    data.Metrics = metrics.size ? [...metrics] : null;
    const days = new Set(data.Runs.map((u) => Math.floor(u.Start / 864e5))), files = new Set(data.Runs.map((u) => u.File));
    data.day = days.size === 1 && data.Runs[0].Start ? new Date(data.Runs[0].Start).toISOString().slice(0, 10) : '';
    data.Runs.forEach((u, i) => {
      u.about = files.size > 1 ? u.Where : u.Where.split(' ').pop();
      u.i = i;
      u.worst = u.Verdicts.reduce((a, b) => (outcomes.indexOf(b.Outcome) < outcomes.indexOf(a.Outcome) ? b : a));
      u.Outcome = u.worst.Outcome;
      u.group = u.Outcome === 'failed' || u.Outcome === 'not scored' ? u.worst.Fault || titles[u.Outcome] : titles[u.Outcome];
      u.title = u.Case || u.worst.Case || u.Expectation || u.worst.Expectation || u.Agent || u.Where;
    });
    for (const s of selects) {
      const all = s === 'Outcome' ? outcomes.filter((o) => data.Runs.some((u) => u.Outcome === o)) : [...new Set(data.Runs.map((u) => u[s]))].filter(Boolean).sort().slice(0, 500);
      const before = byId(s).value;
      byId(s).replaceChildren(el('option', {value: ''}, 'all'), ...all.map((o) => el('option', {}, o)));
      byId(s).value = all.includes(before) ? before : '';
      byId(s).parentNode.hidden = all.length < 2;
    }
    head();
    refresh();
    rates();
  }

  function head() {
    const s = data.Summary, parts = {failed: s.Failed, 'not scored': s.NotScored, 'as before': s.Known, passed: s.Passed, 'no expectation': s.NoExpectation};
    const counted = outcomes.filter((o) => parts[o]);
    byId('title').textContent = plural(s.Runs, 'run') + (parts['no expectation'] < s.Runs ? ': ' + counted.map((o) => parts[o] + ' ' + titles[o].toLowerCase()).join(', ') : '');
    byId('about').textContent = data.day + (data.Left ? ' ' + plural(data.Left, 'run') + ' that passed or came last ' + (data.Left === 1 ? 'is' : 'are') + ' not listed' : '');
    byId('bar').replaceChildren(...counted.map((o) => { const i = el('i', {class: css(o)}); i.style.flexGrow = parts[o]; return i; }));
    byId('faults').replaceChildren(...groupsOf(data.Runs).filter((g) => g.bad).map((g) => el('li', {}, el('a', {href: '#' + g.id, class: css(g.runs[0].Outcome)}, g.runs.length + ' × ' + g.title.toLowerCase()))));
  }

  function groupsOf(runs) {
    const of = new Map();
    for (const u of runs) of.set(u.group, [...(of.get(u.group) || []), u]);
    const order = [...faults, ...outcomes.map((o) => titles[o])];
    return [...of].map(([title, runs]) => {
      const tools = new Map();
      for (const u of runs) if (u.worst.FaultOf) tools.set(u.worst.FaultOf, (tools.get(u.worst.FaultOf) || 0) + 1);
      return {title, runs, id: 'g-' + title.toLowerCase().replaceAll(' ', '-'), bad: ['failed', 'not scored'].includes(runs[0].Outcome),
        tools: [...tools].sort((a, b) => b[1] - a[1]).slice(0, 8).map(([t, n]) => t + (n > 1 ? ' × ' + n : '')).join(', ')};
    }).sort((a, b) => order.indexOf(a.title) - order.indexOf(b.title));
  }

  const columns = () => [
    {key: 'run', title: 'run', of: (u) => u.title}, {key: 'why', title: data.Metrics ? 'what went wrong' : 'called', of: (u) => u.worst.Reason},
    ...(data.Metrics || []).map((m) => ({key: m, title: m, metric: m, of: (u) => u.Verdicts.find((v) => v.Metric === m)?.Score ?? -1})),
    {key: 'took', title: 'took', n: true, of: (u) => u.Took}, {key: 'started', title: 'started (UTC)', n: true, of: (u) => u.Start},
  ];

  function matches(u) {
    if (selects.some((s) => byId(s).value && u[s] !== byId(s).value)) return false;
    const q = byId('q').value.trim().toLowerCase();
    u.text ??= [u.title, u.Where, u.Trace, u.Span, u.Agent, u.Service, u.Conversation, u.group, ...u.Verdicts.flatMap((v) => [asked(v), v.Metric, v.Reason, ...(v.Steps || []).map((s) => s.Tool)]),
      ...(u.Calls || []).map((c) => c.Name)].join('\n').toLowerCase();
    return !q || q.split(/\s+/).every((word) => u.text.includes(word));
  }

  function refresh() {
    shown = data.Runs.filter(matches);
    const by = columns().find((c) => c.key === sort.key);
    if (by) shown.sort((a, b) => { const x = by.of(a), y = by.of(b); return (x < y ? -1 : x > y ? 1 : 0) * (sort.down ? -1 : 1) || a.i - b.i; });
    draw();
  }

  // draw writes the table: runs by what went wrong or, sorted by a column, all in one list. Groups below runs that failed are folded.
  function draw() {
    const all = columns();
    const head = el('tr', {}, all.map((c) => {
      const button = el('button', {type: 'button'}, c.title), th = el('th', {scope: 'col', 'data-key': c.key, class: c.n ? 'n' : ''}, button);
      if (sort.key === c.key) th.setAttribute('aria-sort', sort.down ? 'descending' : 'ascending');
      button.addEventListener('click', () => {
        sort = sort.key !== c.key ? {key: c.key} : sort.down ? {} : {key: c.key, down: true};
        refresh();
        document.querySelector('th[data-key="' + CSS.escape(c.key) + '"] button').focus();
      });
      return th;
    }));
    const bodies = [], groups = sort.key ? [{runs: shown}] : groupsOf(shown);
    let room = limit;
    for (const g of groups) {
      if (room <= 0) break;
      const body = el('tbody');
      const fold = g.title && !g.bad && groups[0].bad && el('button', {type: 'button', class: 'fold', 'aria-expanded': unfolded.has(g.title)}, g.title);
      if (fold) fold.addEventListener('click', () => {
        if (!unfolded.delete(g.title)) unfolded.add(g.title);
        draw();
        byId(g.id).querySelector('button').focus();
      });
      if (g.title) body.append(el('tr', {class: 'group'}, el('th', {colspan: all.length, scope: 'rowgroup', id: g.id}, el('b', {class: css(g.runs[0].Outcome)}, fold || g.title), ' ', el('span', {class: 'soft'}, plural(g.runs.length, 'run') + (g.tools ? ': ' + g.tools : '')))));
      bodies.push(body);
      if (fold && !unfolded.has(g.title)) continue;
      for (const u of g.runs.slice(0, room)) body.append(...rowOf(u, all));
      room -= g.runs.length;
    }
    byId('table').replaceChildren(byId('table').caption, el('thead', {}, head), ...bodies);
    byId('shown').textContent = shown.length + ' of ' + plural(data.Runs.length, 'run');
    byId('more').hidden = room >= 0 && bodies.length === groups.length;
    lines();
  }

  function rowOf(u, all) {
    const open = el('button', {type: 'button', class: 'open', 'aria-expanded': opened.has(u.ID)}, u.title);
    const about = [['expectation', u.Expectation], ['agent', u.Agent], ['service', u.Service], ['trace', u.about]].filter(([, s]) => s && s !== u.title).map(([k, s]) => k + (k === 'trace' ? '\u00a0' : ' ') + s).join(' · ');
    const bad = new Map(u.Verdicts.filter((v) => v.Outcome === u.Outcome).reverse().map((v) => [v.Fault + v.FaultOf, v]));
    const why = !data.Metrics ? (u.Calls || []).map((c) => c.Name).join(', ').slice(0, 400) : u.Outcome === 'passed' || u.Outcome === 'no expectation' ? '' : [...bad.values()].reverse().map((v) => el('p', {}, bad.size > 1 ? el('span', {class: 'soft'}, v.Metric + ': ') : '', sentence(v.Reason)));
    const tr = el('tr', {id: u.ID, class: 'run ' + css(u.Outcome)},
      el('td', {}, open, el('div', {class: 'meta'}, about)),
      el('td', {class: 'why'}, why),
      ...(data.Metrics || []).map((m) => el('td', {class: 'metric', 'data-label': m}, u.Verdicts.filter((v) => v.Metric === m).flatMap(mark))),
      el('td', {class: 'n', 'data-label': 'took'}, took(u.Took)), el('td', {class: 'n', 'data-label': 'started'}, started(u)));
    open.addEventListener('click', () => toggle(u, tr, open));
    return opened.has(u.ID) ? [tr, detailOf(u)] : [tr];
  }

  const marks = {failed: '✗ ', 'not scored': '? ', passed: '✓ ', 'as before': '✗ '};
  const low = (v) => v.Score !== null && v.Score < v.Threshold;
  const mark = (v) => [el('span', {class: 'mark ' + css(v.Outcome)}, (marks[v.Outcome] || '') + (v.Score === null ? words(v.Status) : number(v))), low(v) ? el('span', {class: 'needs'}, ' needs ' + v.Threshold) : ''];

  function toggle(u, tr, open) {
    const close = opened.delete(u.ID);
    if (close) tr.nextSibling.remove();
    else {
      opened.add(u.ID);
      tr.after(detailOf(u));
      history.replaceState(null, '', '#' + u.ID);
      lines();
    }
    open.setAttribute('aria-expanded', !close);
  }

  function detailOf(u) {
    const box = el('div', {role: 'group', 'aria-label': 'Details of ' + u.title}, el('p', {class: 'ids'}, 'trace ', el('code', {}, u.Trace), u.Span && [' span ', el('code', {}, u.Span)])), facts = el('dl'), drawn = new Set(), said = new Set();
    for (const v of [...u.Verdicts].sort((a, b) => outcomes.indexOf(a.Outcome) - outcomes.indexOf(b.Outcome))) {
      const picture = JSON.stringify(v.Steps), draws = v.Steps?.length && !drawn.has(picture) && (!drawn.size || v.Outcome !== 'passed');
      if (draws) drawn.add(picture);
      box.append(el('div', {class: 'verdict'}, v.Metric ? el('h2', {}, v.Metric, ' ', ...mark(v), el('span', {class: 'soft'}, v.Score === null || low(v) ? '' : ' threshold ' + v.Threshold)) : '', said.has(v.Reason) ? '' : el('p', {}, sentence(v.Reason)),
        draws ? alignment(u, v) : ''));
      said.add(v.Reason);
    }
    box.append(timeline(u), facts);
    const fact = (k, v) => { if (v) facts.append(el('dt', {}, k), el('dd', {}, v)); };
    const asks = [...new Set(u.Verdicts.map(asked))].filter(Boolean);
    if (asks.length > 1) fact('expectations', asks.join('; '));
    fact('conversation', u.Conversation);
    fact('file', u.File);
    fact('closed by', u.ClosedBy + (u.Complete ? '' : ', not complete' + (u.Because?.length ? ': ' + u.Because.map(words).join(', ') : '')));
    fact('rejected', u.Rejected?.join(', '));
    if (u.URL) fact('trace in the backend', el('a', {href: u.URL, rel: 'noreferrer'}, u.URL));
    return el('tr', {class: 'detail'}, el('td', {colspan: columns().length}, box));
  }

  const kinds = {matched: 'matched', unexpected: 'warn extra', repeated: 'warn extra', uncertain: 'warn', partly_matched: 'warn'};
  // kind is how a call looks: red where it fails.
  const kind = (s) => (s.Class === 'matched' && s.Faults?.length ? 'bad' : s.Faults?.length && s.Class === 'unexpected' ? 'bad' : kinds[s.Class] || 'bad');

  // alignment draws what was expected on the left, what was called on the right, and a line for each pair. What is wrong stands where it is.
  function alignment(u, v) {
    const calls = (u.Calls || []).slice(0, most), expected = v.Steps.filter((s) => s.Tool).slice(0, most);
    const of = new Map(v.Steps.filter((s) => s.Call >= 0).map((s) => [s.Call, s]));
    const left = el('ol', {'aria-label': 'Expected'}), right = el('ol', {'aria-label': 'Called'});
    const item = (s, name, what, texts, call) => el('li', {class: kind(s), 'data-call': call}, narrow(name), ' ', el('span', {class: 'what'}, what), texts.map((t) => el('small', {}, narrow(t))));
    for (const s of expected) {
      const given = s.Arguments && Object.keys(s.Arguments).length ? ['with ' + Object.entries(s.Arguments).map(([k, a]) => k + ' ' + JSON.stringify(a)).join(', ').slice(0, 200)] : [];
      left.append(item(s, s.Tool, s.Call < 0 ? words(s.Class) : '', given, s.Call));
    }
    calls.forEach((c, j) => {
      const s = of.get(j) || {Class: 'uncertain'};
      right.append(item(s, (j + 1) + '.\u00a0' + c.Name, (s.Class === 'matched' ? '' : words(s.Class)) + (c.Status === 'error' ? ' (error)' : ''), s.Faults || [], j));
    });
    if (!expected.length) left.append(el('li', {}, 'nothing'));
    if (!calls.length) right.append(el('li', {}, 'nothing'));
    const more = Math.max(v.Steps.filter((s) => s.Tool).length, (u.Calls || []).length) - most;
    return el('div', {}, el('div', {class: 'align'}, el('div', {}, el('div', {class: 'side'}, 'Expected'), left), el('div'), el('div', {}, el('div', {class: 'side'}, 'Called'), right)), more > 0 ? el('p', {}, 'and ' + more + ' more') : '');
  }

  // lines draws the lines of all open alignments, now that their items have places.
  function lines() {
    for (const box of document.querySelectorAll('.align')) {
      box.querySelector('svg')?.remove();
      const svg = document.createElementNS('http://www.w3.org/2000/svg', 'svg'), frame = box.getBoundingClientRect();
      svg.setAttribute('aria-hidden', 'true');
      for (const from of box.querySelectorAll('ol[aria-label=Expected] > [data-call]')) {
        const to = box.querySelector('ol[aria-label=Called] > [data-call="' + from.dataset.call + '"]');
        if (!to) continue;
        const a = from.getBoundingClientRect(), b = to.getBoundingClientRect(), line = document.createElementNS(svg.namespaceURI, 'line');
        for (const [k, x] of Object.entries({class: from.className, x1: a.right - frame.left, x2: b.left - frame.left, y1: a.top + a.height / 2 - frame.top, y2: b.top + b.height / 2 - frame.top})) line.setAttribute(k, x);
        svg.append(line);
      }
      box.append(svg);
    }
  }

  // timeline has the runs of the trace and the calls of this one, with their values if the file has them.
  function timeline(u) {
    const same = data.Runs.filter((o) => o.Trace === u.Trace).slice(0, 50), begin = Math.min(...same.map((o) => o.Start)), end = Math.max(...same.map((o) => o.Start + o.Took), begin + 0.001);
    const json = (v) => (v === null ? el('span', {class: 'soft'}, 'not captured') : el('pre', {tabindex: 0}, JSON.stringify(v, null, JSON.stringify(v).length > 60 ? 1 : 0)));
    const row = (name, kind, start, ms, values) => {
      const i = el('i'), left = 100 * (start - begin) / (end - begin);
      i.style.left = Math.min(left, 99.8) + '%';
      i.style.width = Math.max(0, Math.min(100 * ms / (end - begin), 100 - left)) + '%';
      return el('tr', {class: kind}, el('td', {}, name), el('td', {class: 'time'}, el('span', {class: 'bar'}, i)), el('td', {class: 'n'}, took(ms)), ...(data.Values ? values : []));
    };
    const body = el('tbody');
    for (const o of same) {
      body.append(row('agent ' + (o.Agent || 'without a name') + (o === u && same.length > 1 ? ' (this run)' : ''), 'agent', o.Start, o.Took, [el('td'), el('td')]));
      if (o === u) (u.Calls || []).slice(0, most).forEach((c, j) => body.append(row((j + 1) + '. ' + c.Name, 'call', c.Start, c.Took, [el('td', {'data-label': 'arguments'}, json(c.Arguments)), el('td', {'data-label': 'output'}, json(c.Output))])));
    }
    return el('table', {class: 'calls'}, el('thead', {}, el('tr', {}, ['what ran', 'when', 'took', ...(data.Values ? ['arguments', 'output'] : [])].map((t) => el('th', {scope: 'col', class: t === 'took' ? 'n soft' : 'soft'}, t)))), body);
  }

  // rates has how runs did by expectation and by case.
  function rates() {
    const tables = (data.Counts || []).map((g) => el('div', {class: 'scroll', tabindex: 0, role: 'region', 'aria-label': 'By ' + g.Titles[0].toLowerCase()}, el('table', {},
      el('thead', {}, el('tr', {}, g.Titles.map((t, i) => el('th', {scope: 'col', class: i ? 'n' : ''}, t.toLowerCase())))),
      el('tbody', {}, g.Lines.slice(0, most).map((line) => el('tr', {}, line.map((c, i) => (i ? el('td', {class: 'n'}, c) : el('th', {scope: 'row'}, c)))))))));
    byId('rates').hidden = !tables.length;
    byId('rates').querySelector('.tables').replaceChildren(...tables);
  }

  // follow opens the run that the address names.
  function follow() {
    const u = data.Runs.find((u) => '#' + u.ID === location.hash);
    if (!u) return;
    opened.add(u.ID);
    unfolded.add(u.group);
    if (!shown.includes(u)) byId('filters').reset();
    limit = Math.max(limit, u.i + pageSize);
    refresh();
    const tr = byId(u.ID);
    tr.querySelector('.open').focus();
    tr.scrollIntoView({block: 'start'});
  }

  for (const f of ['q', ...selects]) byId(f).addEventListener('input', () => { limit = pageSize; refresh(); });
  byId('filters').addEventListener('submit', (e) => e.preventDefault());
  byId('filters').addEventListener('reset', () => setTimeout(refresh));
  byId('more').addEventListener('click', () => { limit += 5 * pageSize; draw(); });
  addEventListener('hashchange', follow);
  addEventListener('resize', lines);
  show(JSON.parse(byId('data').textContent));
  // Behind the browser's own way to the anchor, which would take the focus away.
  addEventListener('load', () => setTimeout(follow));
})();
