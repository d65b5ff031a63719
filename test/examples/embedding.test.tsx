// @vitest-environment happy-dom
import { act } from "react";
import { createRoot } from "react-dom/client";
import { expect, test, vi } from "vitest";
import { Chat } from "../../docs/examples/react.tsx";
import { quiet, overloaded, scene } from "../session/harness.ts";

test("the React example shows the state, the reply as it grows, and stops", async () => {
  vi.stubGlobal("IS_REACT_ACT_ENVIRONMENT", true);
  const s = scene([overloaded, { text: "hello there", deltas: 2, hang: true }]);
  const page = document.createElement("main");
  const root = createRoot(page);
  await act(async () => root.render(<Chat session={s.session} />));
  expect(page.textContent).toContain("idle, 0 tokens");
  let outcome: Promise<unknown> | undefined;
  await act(async () => {
    outcome = s.session.prompt("hi");
    await quiet();
  });
  expect(page.textContent).toContain("retry 1 of 3");
  await act(async () => {
    s.clock.advance(2_000);
    await quiet();
  });
  expect(page.textContent).toContain("hello there");
  expect(page.textContent).toContain("running");
  await act(async () => {
    page.querySelector("button")?.click();
    await quiet();
  });
  expect(await outcome).toMatchObject({ status: "aborted" });
  expect(page.textContent).toContain("settled");
  await act(async () => root.unmount());
});
