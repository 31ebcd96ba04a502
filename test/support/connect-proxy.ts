import { connect, type Socket } from 'node:net'
import { answer, head, startTcpServer } from './raw-endpoint.ts'

/** What a proxy does with a request. `authority` is the host and port that CONNECT names. */
type Serve = (socket: Socket, authority: string) => unknown

export type ConnectProxy = Awaited<ReturnType<typeof startConnectProxy>>

/** An HTTP proxy on loopback that opens tunnels, or answers as a test says. */
export async function startConnectProxy() {
  const proxy = {
    /** The head of each request, and all bytes that clients sent through tunnels, as latin-1. */
    heads: [] as string[],
    sent: '',
    serve: ((socket, authority) => tunnel(socket, authority)) as Serve,
    tunnel,
    accept,
  }
  function tunnel(socket: Socket, authority: string, opened = head(200)): void {
    const [host, port] = authority.split(':')
    const onward = connect(Number(port), host)
    onward.on('error', () => socket.end(answer(502)))
    onward.on('connect', () => {
      socket.write(opened)
      socket.on('data', (chunk: Buffer) => (proxy.sent += chunk.toString('latin1')))
      socket.on('close', () => onward.destroy())
      socket.pipe(onward).pipe(socket)
    })
  }
  function accept(socket: Socket): void {
    socket.on('error', () => undefined)
    socket.once('data', (chunk: Buffer) => {
      proxy.heads.push(chunk.toString('latin1'))
      proxy.serve(socket, proxy.heads.at(-1)!.split(' ')[1]!)
    })
  }
  const { port, close } = await startTcpServer(accept)
  return Object.assign(proxy, { close, url: `http://127.0.0.1:${port}` })
}
