'use strict';
// Loads the page again when a run has closed, at most once a second. Someone who reads is asked first.
(async () => {
  const live = document.getElementById('live');
  const reading = () => window.scrollY > 0 || document.querySelector('main [aria-expanded="true"], main [open]') ||
    [...document.querySelectorAll('main input, main select')].some((e) => e.value);
  try {
    const response = await fetch('changes?after=' + live.dataset.runs);
    const more = await response.text() - live.dataset.runs;
    if (!more) throw new Error('ended');
    if (!reading()) return setTimeout(() => location.reload(), 1000);
    const link = document.createElement('a');
    link.href = '.';
    link.textContent = 'New runs: show them';
    live.replaceChildren(link);
  } catch {
    live.textContent = 'Not live any more: the command has ended';
  }
})();
