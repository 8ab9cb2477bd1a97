// Search as you type, the menu on small screens, and a button to copy each block of code.
(() => {
  const { up } = document.currentScript.dataset;
  const input = document.querySelector("#search");
  const list = document.querySelector("#found");
  const menuButton = document.querySelector("#menu");
  const menu = document.querySelector("#pages");

  /** The index is larger than most pages, so it is loaded on the first search. */
  let loading;
  function loadIndex() {
    loading ??= new Promise((resolve, reject) => {
      const script = document.createElement("script");
      script.src = `${up}search-index.js`;
      script.onload = resolve;
      script.onerror = reject;
      document.head.append(script);
    });
    return loading;
  }

  function element(name, ...children) {
    const node = document.createElement(name);
    node.append(...children);
    return node;
  }

  function resultItem({ address, title, heading, snippet: { before, match, after } }) {
    const link = element("a", element("strong", heading === "" ? title : `${title} › ${heading}`), element("span", before, element("mark", match), after));
    link.href = up + address;
    return element("li", link);
  }

  async function show() {
    const query = input.value;
    if (query.trim() === "") {
      list.hidden = true;
      return;
    }
    await loadIndex();
    if (query !== input.value) return;
    const results = globalThis.sluiceSearch.find(query, globalThis.sluiceSearch.entries);
    list.replaceChildren(...(results.length === 0 ? [element("li", element("p", `No page matches “${query}”.`))] : results.map(resultItem)));
    list.hidden = false;
  }

  function moveFocus(step) {
    const links = [...list.querySelectorAll("a")];
    const at = links.indexOf(document.activeElement) + step;
    if (at < 0) input.focus();
    else links[Math.min(at, links.length - 1)]?.focus();
  }

  input.addEventListener("input", () => void show());
  document.addEventListener("keydown", (event) => {
    const isTyping = /^(?:INPUT|TEXTAREA)$/.test(document.activeElement?.tagName ?? "");
    if (event.key === "/" && !isTyping) {
      event.preventDefault();
      input.focus();
    }
    if (event.key === "Escape") {
      list.hidden = true;
      if (document.body.classList.contains("menu-open")) openMenu(false);
    }
    const isSearching = document.activeElement === input || list.contains(document.activeElement);
    if (isSearching && !list.hidden && (event.key === "ArrowDown" || event.key === "ArrowUp")) {
      event.preventDefault();
      moveFocus(event.key === "ArrowDown" ? 1 : -1);
    }
    if (event.key === "Enter" && document.activeElement === input) list.querySelector("a")?.click();
  });
  document.addEventListener("click", (event) => {
    if (!event.target.closest(".search") || event.target.closest("#found a")) list.hidden = true;
  });

  /** On small screens the menu covers the page. */
  function openMenu(isOpen) {
    document.body.classList.toggle("menu-open", isOpen);
    menuButton.setAttribute("aria-expanded", String(isOpen));
    menuButton.textContent = isOpen ? "Close" : "Menu";
    menu.scrollTop = 0;
    if (!isOpen) menuButton.focus();
  }
  menuButton.addEventListener("click", () => openMenu(!document.body.classList.contains("menu-open")));
  // On wide screens the menu scrolls on its own: show where this page is.
  const current = menu.querySelector("[aria-current]");
  if (current !== null) menu.scrollTop = current.offsetTop - menu.offsetTop - menu.clientHeight / 3;

  for (const figure of document.querySelectorAll("figure.code")) {
    const button = element("button", "Copy");
    button.type = "button";
    button.addEventListener("click", async () => {
      await navigator.clipboard.writeText(figure.querySelector("code").textContent);
      button.textContent = "Copied";
      setTimeout(() => (button.textContent = "Copy"), 1_500);
    });
    figure.append(button);
  }
})();
