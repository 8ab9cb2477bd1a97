// Sends the requests of one turn of the event loop together. The client writes each request to the socket as soon as it is made; servers that receive
// messages one by one spend about twice as much CPU time on each, because they also replicate and acknowledge them one by one.

export type SendGrouped = <T>(send: () => Promise<T>) => Promise<T>;

export function createSendGroups(): SendGrouped {
  let waiting: (() => void)[] = [];
  const sendAll = (): void => {
    const group = waiting;
    waiting = [];
    for (const send of group) send();
  };
  return (send) =>
    new Promise((resolve, reject) => {
      if (waiting.length === 0) setImmediate(sendAll);
      waiting.push(() => void send().then(resolve, reject));
    });
}
