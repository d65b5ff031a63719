/** How the page looks: one calm sheet, light and dark, from a phone to a wide screen. */
export const STYLE = `
:root{color-scheme:light dark;
--paper:#f6f7f9;--card:#ffffff;--ink:#1b2430;--soft:#55616f;--line:#dde2e8;--strong-line:#8a95a3;--fill:#f1f3f6;
--quiet:#55616f;--quiet-bg:#eceff3;--busy:#1a56b8;--busy-bg:#e3edfc;--wait:#8a4b00;--wait-bg:#fdeed7;--work:#08676b;--work-bg:#dcf3f2;
--good:#17693a;--good-bg:#e0f4e7;--bad:#b3261e;--bad-bg:#fce8e6;--warn:#8f3c0a;--warn-bg:#fdeadf;--accent:#1a56b8;
--sans:ui-sans-serif,system-ui,-apple-system,"Segoe UI",Roboto,"Helvetica Neue",sans-serif;--mono:ui-monospace,SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono",monospace}
@media (prefers-color-scheme:dark){:root{
--paper:#0e1318;--card:#161d25;--ink:#e6ebf0;--soft:#a3afbc;--line:#2a343f;--strong-line:#6f7d8c;--fill:#1d2630;
--quiet:#a9b4c0;--quiet-bg:#242e39;--busy:#8dbcff;--busy-bg:#172c4a;--wait:#f5bd6a;--wait-bg:#3a2a10;--work:#6fd3d0;--work-bg:#0f3335;
--good:#7cd69b;--good-bg:#12341f;--bad:#ff9b92;--bad-bg:#431a17;--warn:#ffb083;--warn-bg:#402313;--accent:#8dbcff}}
*{box-sizing:border-box}
[hidden]{display:none!important}
body{margin:0;background:var(--paper);color:var(--ink);font:14px/1.5 var(--sans);-webkit-font-smoothing:antialiased}
h1,h2,h3,p,ul,ol,dl,dd{margin:0;padding:0}ul,ol{list-style:none}
:focus-visible{outline:2px solid var(--accent);outline-offset:2px;border-radius:6px}
main:focus{outline:none}
.unseen{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%);white-space:nowrap}
.skip{position:absolute;left:-9999px}.skip:focus{left:12px;top:12px;background:var(--card);padding:8px 12px;z-index:9}
.note{color:var(--soft);font-size:12.5px}
.top{display:flex;flex-wrap:wrap;align-items:center;gap:10px;padding:14px 24px;border-bottom:1px solid var(--line);background:var(--card)}
.top h1{font-size:16px;font-weight:650;letter-spacing:-.01em}.top h1 span{font-weight:400;color:var(--soft)}
.spacer{flex:1}
.pill,.chip,.badge{display:inline-block;border-radius:999px;padding:1px 10px;font-size:12px;font-weight:550;background:var(--quiet-bg);color:var(--quiet);white-space:nowrap}
.chip{padding:3px 12px;font-size:13px}
.badge{white-space:normal;font-weight:500;border-radius:8px}
[data-tone=busy]{--tone:var(--busy);--tone-bg:var(--busy-bg)}[data-tone=wait]{--tone:var(--wait);--tone-bg:var(--wait-bg)}
[data-tone=work]{--tone:var(--work);--tone-bg:var(--work-bg)}[data-tone=good]{--tone:var(--good);--tone-bg:var(--good-bg)}
[data-tone=bad]{--tone:var(--bad);--tone-bg:var(--bad-bg)}[data-tone=warn]{--tone:var(--warn);--tone-bg:var(--warn-bg)}
[data-tone=quiet]{--tone:var(--quiet);--tone-bg:var(--quiet-bg)}
.pill[data-tone],.chip[data-tone]{background:var(--tone-bg);color:var(--tone)}
button,input{font:inherit;color:inherit}
button{background:var(--card);border:1px solid var(--line);border-radius:8px;padding:4px 12px;cursor:pointer}
button:hover:not(:disabled){border-color:var(--strong-line)}
button:disabled{opacity:.45;cursor:default}
button[aria-pressed=true]#mode{background:var(--busy-bg);border-color:var(--busy);color:var(--busy)}
input[type=text],input[type=search]{background:var(--card);border:1px solid var(--line);border-radius:8px;padding:4px 10px;min-width:0}
::placeholder{color:var(--soft);opacity:1}
#sessions{display:flex;flex-wrap:wrap;gap:10px;padding:14px 24px 0}
.tile{display:flex;flex-direction:column;align-items:flex-start;gap:4px;min-width:168px;padding:10px 14px;text-align:left;border-radius:12px}
.tile .chip{font-size:12px;padding:1px 10px}
.tile[aria-pressed=true]{border-color:var(--accent);box-shadow:0 0 0 1px var(--accent)}
.tile-title{font-weight:600;max-width:190px;overflow:hidden;text-overflow:ellipsis;white-space:nowrap}
main{padding:18px 24px 40px;max-width:1560px;margin:0 auto}
.side-by-side main{max-width:none;display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,440px),1fr));gap:18px;align-items:start}
.session{container-type:inline-size;min-width:0}
.session-head{display:flex;flex-wrap:wrap;align-items:center;gap:8px 12px;margin-bottom:12px}
.session-head h2{font-size:20px;font-weight:650;letter-spacing:-.015em;overflow-wrap:anywhere}
.model{color:var(--soft);font-family:var(--mono);font-size:12.5px}
.controls{display:flex;flex-wrap:wrap;gap:8px;align-items:center;margin-left:auto}
.steer{display:flex;gap:6px}.steer input{width:190px}
.said{color:var(--bad);font-size:12.5px}
.facts{display:grid;grid-template-columns:1fr 1fr;background:var(--card);border:1px solid var(--line);border-radius:14px;margin-bottom:14px;overflow:hidden}
.fact:last-child{grid-column:span 2}
.fact{padding:12px 16px;box-shadow:1px 0 0 var(--line),0 1px 0 var(--line);min-width:0}
.fact-title{display:block;color:var(--soft);font-size:12px}
.fact strong{display:block;font-size:17px;font-weight:600;letter-spacing:-.01em;font-variant-numeric:tabular-nums}
.fact .note{display:block}
.dots{color:var(--wait);letter-spacing:1px}
.gauge{position:relative;height:8px;border-radius:4px;background:var(--quiet-bg);margin:6px 0 4px}
.gauge .fill{position:absolute;inset:0;border-radius:4px;background:var(--busy);transform-origin:left;transform:scaleX(var(--share,0));transition:transform .25s}
.gauge.over .fill{background:var(--warn)}
.gauge.wait .fill{background:var(--wait);transition:transform .1s linear}
.gauge .tick{position:absolute;top:-3px;bottom:-3px;left:calc(var(--tick,1)*100% - 1px);width:2px;background:var(--strong-line);border-radius:1px}
.queue li{font-size:12.5px;color:var(--soft);overflow:hidden;text-overflow:ellipsis;white-space:nowrap}
.panels{display:grid;grid-template-columns:minmax(0,1fr);gap:14px}
.panel{background:var(--card);border:1px solid var(--line);border-radius:14px;padding:14px 16px 16px;min-width:0}
.panel h3{font-size:13px;font-weight:650;margin-bottom:6px}
@container (min-width:520px){.facts{grid-template-columns:repeat(3,1fr)}}
@container (min-width:860px){.facts{grid-template-columns:repeat(5,1fr)}.fact:last-child{grid-column:auto}
.panels{grid-template-columns:minmax(0,7fr) minmax(0,5fr);grid-template-rows:auto 1fr auto}
.chart-panel{grid-row:span 2}.events,.messages{grid-column:auto}}
.scroller{max-height:440px;overflow:auto;margin:8px -16px -16px;padding:0 16px 16px;overscroll-behavior:contain}
.scroller:focus-visible{outline-offset:-3px;border-radius:14px}
.chart{display:block;width:100%;height:auto;margin:0 auto;font:12px/1 var(--sans)}
.chart-wide{display:none}.chart-narrow .chart{max-width:560px}.chart-wide .chart{max-width:834px}
@container (min-width:700px){.chart-wide{display:block}.chart-narrow{display:none}}
.side-by-side .rules li:not([data-verdict=fired]) .rule-when{display:none}.side-by-side .rules li{padding-top:4px;padding-bottom:4px}.side-by-side .rules li::before{top:5px}
.chart-small{display:none}.side-by-side .chart-small{display:block}.side-by-side .chart-wide,.side-by-side .chart-narrow{display:none!important}.chart-small .chart{max-width:620px}
.chart .state rect{fill:var(--fill);stroke:var(--strong-line);stroke-width:1.25;transition:fill .2s,stroke .2s}
.chart .frame rect{fill:none;stroke-dasharray:4 3}
.chart .state text{fill:var(--ink);font-weight:600}
.chart .frame text{fill:var(--soft)}
.chart .state.active rect{fill:var(--tone-bg);stroke:var(--tone);stroke-width:2.5}
.chart .state.active text{fill:var(--tone)}
.chart .state.frame.active rect{fill:none;stroke-width:1.75}
.chart .edge{fill:none;stroke:var(--strong-line);stroke-width:1.25}
.chart .edge.taken{stroke:var(--accent);stroke-width:2.75}
.chart marker path{fill:var(--strong-line)}.chart marker.arrow-taken path{fill:var(--accent)}
.chart .label rect{fill:var(--card);opacity:.94}
.chart .label text{fill:var(--soft)}.chart .label.taken text{fill:var(--accent);font-weight:650}
.rules ol{counter-reset:rule;margin-top:8px}
.rules li{counter-increment:rule;position:relative;padding:6px 10px 7px 38px;border-radius:10px;border:1px solid transparent}
.rules li::before{content:counter(rule);position:absolute;left:10px;top:7px;width:20px;height:20px;border-radius:50%;background:var(--quiet-bg);color:var(--quiet);font-size:11.5px;font-weight:650;line-height:20px;text-align:center}
.rule-head{display:flex;gap:8px;align-items:baseline;justify-content:space-between}
.rule-head strong{font-weight:600}
.verdict{font-size:12px;color:var(--soft);white-space:nowrap}
.rule-when{font-size:12.5px;color:var(--soft);line-height:1.4}
.arrow{color:var(--strong-line)}
.rules li[data-verdict=fired]{background:var(--busy-bg);border-color:var(--busy)}
.rules li[data-verdict=fired]::before{background:var(--busy);color:var(--card)}
.rules li[data-verdict=fired] .verdict,.rules li[data-verdict=fired] strong{color:var(--busy);font-weight:650}
.rules li[data-verdict=fired] .rule-when{color:var(--ink)}
.verdict-line{display:inline-block;border-radius:8px;padding:2px 10px;font-weight:600;background:var(--wait-bg);color:var(--wait)}
.verdict-line[data-action=stop]{background:var(--bad-bg);color:var(--bad)}.verdict-line[data-action=compact]{background:var(--work-bg);color:var(--work)}
.failure-text{font-family:var(--mono);font-size:12.5px;margin:10px 0 6px;overflow-wrap:anywhere}
.hint{margin-bottom:10px}
.failure dl>div{display:grid;grid-template-columns:104px 1fr;gap:8px;font-size:12.5px;padding:3px 0;border-top:1px solid var(--line)}
.failure dt{color:var(--soft)}.failure dd{overflow-wrap:anywhere}
.message{padding:9px 0 10px;border-top:1px solid var(--line)}
.message-list .message:first-child{border-top:0}
.message-head{display:flex;flex-wrap:wrap;gap:4px 8px;align-items:baseline}
.message-head strong{font-size:12.5px;font-weight:600;color:var(--soft)}
[data-who=user] .message-head strong{color:var(--busy)}[data-who=summary] .message-head strong{color:var(--work)}
.message .text{white-space:pre-wrap;overflow-wrap:anywhere}
.message summary{color:var(--soft);font-size:12.5px;cursor:pointer;width:fit-content}.message details[open] summary{margin-bottom:4px}
.message .thinking{color:var(--soft);font-style:italic}.message .call{font-family:var(--mono);font-size:12.5px}.message .error{color:var(--bad);font-size:12.5px}
.omitted .text{text-decoration:line-through;text-decoration-color:var(--strong-line);color:var(--soft)}
.omitted .error{text-decoration:none;color:var(--bad)}
.omitted .badge{background:var(--warn-bg);color:var(--warn)}
.streaming .badge{background:var(--busy-bg);color:var(--busy)}
.filters{display:flex;flex-wrap:wrap;gap:6px;align-items:center}
.filter{font-size:12px;padding:2px 10px;border-radius:999px;color:var(--soft);border-style:dashed}
.filter[aria-pressed=true]{background:var(--quiet-bg);color:var(--ink);border-style:solid}
.filters input{flex:1 1 90px;font-size:12.5px;padding:2px 10px}
table{border-collapse:collapse;width:100%;font-size:12.5px}
td{padding:3px 10px 3px 0;vertical-align:top;border-top:1px solid var(--line)}
.time{font-variant-numeric:tabular-nums;color:var(--soft);white-space:nowrap;width:1%}
.group{color:var(--soft)}.group[data-group=statechart]{color:var(--accent)}.group[data-group=retry]{color:var(--wait)}.group[data-group=compaction]{color:var(--work)}
.name{font-weight:550;white-space:nowrap;width:1%}.detail{color:var(--soft);overflow-wrap:anywhere}
.bad .name,.bad .detail{color:var(--bad)}
.scrubber{display:flex;align-items:center;gap:8px;background:var(--card);border:1px solid var(--line);border-radius:12px;padding:7px 12px;margin-bottom:12px;position:sticky;top:8px;z-index:2;box-shadow:0 6px 16px -12px rgb(0 0 0/.35)}
.scrubber input{flex:1;min-width:60px;accent-color:var(--accent)}
.icon{padding:2px 8px;font-size:11px;line-height:1.7;min-width:34px}
.moment{font-variant-numeric:tabular-nums;font-size:12.5px;color:var(--soft);white-space:nowrap}
.follow{font-size:12.5px;padding:2px 10px;background:var(--busy-bg);color:var(--busy);border-color:var(--busy)}
@container (max-width:520px){.scrubber{flex-wrap:wrap}.scrubber input{order:1;flex-basis:100%}.controls{margin-left:0}td{display:inline}tr{display:block;border-top:1px solid var(--line);padding:3px 0}td{border:0}}
@media (max-width:560px){.top{gap:8px}.top h1 span{display:none}.chart-panel{padding-left:4px;padding-right:4px}.chart-panel h3{padding-left:12px}.top,main{padding-left:14px;padding-right:14px}#sessions{padding:12px 14px 0}.scroller{max-height:380px}}
@media (prefers-reduced-motion:reduce){*{transition:none!important}}
`;
