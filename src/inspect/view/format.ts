export function clockTime(t: number): string {
  const date = new Date(t);
  const two = (number: number): string => String(number).padStart(2, "0");
  return `${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())}.${String(date.getMilliseconds()).padStart(3, "0")}`;
}

export function tokens(count: number): string {
  return count < 10_000 ? count.toLocaleString("en") : `${(count / 1000).toLocaleString("en", { maximumFractionDigits: 1 })}k`;
}

export function duration(milliseconds: number): string {
  const seconds = Math.max(0, milliseconds) / 1000;
  if (seconds < 60) return `${seconds.toFixed(1)} s`;
  const minutes = Math.floor(seconds / 60);
  return minutes < 60 ? `${minutes} min ${Math.floor(seconds % 60)} s` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}
