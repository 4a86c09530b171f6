'use strict';
// Loads the page again when a run has closed; asks once a second. Someone who reads is asked first.
(async () => {
  const live = document.getElementById('live');
  const reading = () => window.scrollY > 0 || document.querySelector('main [aria-expanded="true"], main [open]') ||
    [...document.querySelectorAll('main input, main select')].some((e) => e.value);
  try {
    do {
      await new Promise((resolve) => setTimeout(resolve, 1000));
    } while (await (await fetch('runs')).text() === live.dataset.runs);
    if (!reading()) return location.reload();
    const link = document.createElement('a');
    link.href = '.';
    link.textContent = 'New runs: show them';
    live.replaceChildren(link);
  } catch {
    live.textContent = 'Not live any more: the command has ended';
  }
})();
