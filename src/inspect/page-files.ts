import { existsSync } from "node:fs";
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
    const directory = folderOf(folder);
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

/** Beside this file; in the built package, where this file is among the shared pieces of the bundle, two folders away. */
function folderOf(name: string): URL {
  const beside = new URL(`${name}/`, import.meta.url);
  return existsSync(beside) ? beside : new URL(`../src/inspect/${name}/`, import.meta.url);
}
