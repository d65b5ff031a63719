import { expect, test } from "vitest";
import { proxyFor } from "../../src/model/adapter/proxy.ts";

const url = "https://api.example.com/v1";
const on = { NODE_USE_ENV_PROXY: "1", HTTPS_PROXY: "http://proxy:8080" };

test("the hint names a proxy only where Node uses one", () => {
  expect(proxyFor(url, on)).toBe("http://proxy:8080");
  expect(proxyFor(url, { ...on, NODE_USE_ENV_PROXY: undefined })).toBeUndefined();
  expect(proxyFor("http://127.0.0.1:8000", on)).toBeUndefined();
  expect(proxyFor("not a url", on)).toBeUndefined();
});

test.each(["*", "example.com", "other.org, .example.com"])("a host that NO_PROXY=%s names is reached directly", (excluded) => {
  expect(proxyFor(url, { ...on, NO_PROXY: excluded })).toBeUndefined();
});
