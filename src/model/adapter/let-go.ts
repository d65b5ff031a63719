/** How long a stream may take to end after its terminal event, in milliseconds, so that its connection can be used again. */
const END_WITHIN_MS = 250;

/**
 * Lets go of a stream nobody reads any more. A complete one gets a moment to end by itself; what still comes is void.
 */
export function letGo(reader: ReadableStreamDefaultReader<unknown>, complete: boolean): void {
  if (complete) void drain(reader);
  else cancel(reader);
}

async function drain(reader: ReadableStreamDefaultReader<unknown>): Promise<void> {
  const timer = setTimeout(cancel, END_WITHIN_MS, reader);
  timer.unref();
  try {
    while (!(await reader.read()).done);
  } catch {
    // After the terminal event the answer is complete, whatever becomes of the connection.
  } finally {
    clearTimeout(timer);
  }
}

function cancel(reader: ReadableStreamDefaultReader<unknown>): void {
  // It rejects for a stream that has failed already, which those who read it have been told.
  reader.cancel().catch(() => undefined);
}
