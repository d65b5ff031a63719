type Attributes = Record<string, string | number | boolean | undefined>;

/** Makes an element. Text is always text: nothing a session said is ever read as markup. */
export function h<Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  attributes: Attributes = {},
  ...children: (Node | string)[]
): HTMLElementTagNameMap[Name] {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (value === true) element.setAttribute(key, "");
    else if (value !== undefined && value !== false) element.setAttribute(key, String(value));
  }
  element.append(...children);
  return element;
}

/** Sets a text only where it changed, so that a selection in it stays. */
export function setText(element: Element, text: string): void {
  if (element.textContent !== text) element.textContent = text;
}

/** Shows or hides an element for everybody, screen readers included. */
export function setShown(element: HTMLElement, shown: boolean): void {
  if (element.hidden === shown) element.hidden = !shown;
}

/** A titled part of a session's panel. */
export function section(title: string, className: string, ...children: (Node | string)[]): HTMLElement {
  return h("section", { class: `panel ${className}`, "aria-label": title }, h("h3", {}, title), ...children);
}

/** A part that scrolls, and can be scrolled with the keyboard. */
export function scroller(label: string, child: HTMLElement): HTMLElement {
  return h("div", { class: "scroller", tabindex: 0, role: "region", "aria-label": label }, child);
}
