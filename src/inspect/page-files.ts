import { readdir, readFile } from "node:fs/promises";
import { extname } from "node:path";
import { html, ICON, STYLE } from "./document.ts";

export interface PageFile {
  type: string;
  body: string;
}

/** Folders whose modules the browser loads. */
const FOLDERS = ["page", "view"] as const;

/**
 * All the page consists of, by path. Its modules are the compiled files of this package as they are; run from the sources, their
 * types are stripped on the way out.
 */
export async function pageFiles(): Promise<Map<string, PageFile>> {
  const extension = extname(import.meta.url);
  const files = new Map<string, PageFile>([
    ["", { type: "text/html; charset=utf-8", body: html(`page/main${extension}`) }],
    ["icon.svg", { type: "image/svg+xml", body: ICON }],
    ["style.css", { type: "text/css; charset=utf-8", body: STYLE }],
  ]);
  for (const folder of FOLDERS) {
    const directory = new URL(`${folder}/`, import.meta.url);
    for (const name of await readdir(directory)) {
      if (extname(name) !== extension || name.endsWith(".d.ts")) continue;
      const source = await readFile(new URL(name, directory), "utf8");
      files.set(`${folder}/${name}`, { type: "text/javascript; charset=utf-8", body: await script(source, extension) });
    }
  }
  return files;
}

async function script(source: string, extension: string): Promise<string> {
  if (extension !== ".ts") return source;
  const { stripTypeScriptTypes } = await import("node:module");
  return stripTypeScriptTypes(source);
}
