/** A source of entry ids: eight hexadecimal digits. They only have to differ within one session, so chance is enough. */
export function randomEntryId(): string {
  return Math.floor(Math.random() * 0x1_0000_0000)
    .toString(16)
    .padStart(8, "0");
}
