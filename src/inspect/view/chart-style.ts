/** Colours and letters of the chart where it is a file of its own. */
export const CHART_STYLE = `
.chart{--paper:#ffffff;--line:#7b8794;--ink:#1f2933;--fill:#f4f6f8;--frame:#fafbfc;font:12px/1 ui-sans-serif,system-ui,-apple-system,"Segoe UI",Roboto,sans-serif;background:var(--paper)}
@media (prefers-color-scheme:dark){.chart{--paper:#0f1419;--line:#8593a2;--ink:#e4e9ee;--fill:#1c242d;--frame:#151b22}}
.chart .state rect{fill:var(--fill);stroke:var(--line);stroke-width:1.25}
.chart .frame rect{fill:var(--frame);stroke-dasharray:4 3}
.chart .state text{fill:var(--ink);font-weight:600}
.chart .frame text{opacity:.8}
.chart .edge{fill:none;stroke:var(--line);stroke-width:1.25}
.chart marker path{fill:var(--line)}
.chart .label rect{fill:var(--paper);opacity:.92}
.chart .label text{fill:var(--ink)}
`.trim();
