import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import protobuf from 'protobufjs'
import { listenOnLoopback } from './loopback.ts'
import type { Json } from './tenants.ts'

/** The part of OpenTelemetry's opentelemetry/proto/trace/v1/trace.proto that we send. */
const OTLP = protobuf
  .parse(
    `syntax = "proto3";
    message Request { repeated OfResource resource_spans = 1; }
    message OfResource { Resource resource = 1; repeated OfScope scope_spans = 2; }
    message Resource { repeated Attribute attributes = 1; }
    message OfScope { repeated Span spans = 2; }
    message Span {
      bytes trace_id = 1; bytes span_id = 2; bytes parent_span_id = 4; string name = 5; int32 kind = 6;
      fixed64 start = 7; fixed64 end = 8; repeated Attribute attributes = 9; Status status = 15;
    }
    message Attribute { string key = 1; Value value = 2; }
    message Value { oneof value { string string = 1; bool bool = 2; int64 int = 3; double double = 4; } }
    message Status { string message = 2; int32 code = 3; }`,
    { keepCase: true },
  )
  .root.lookupType('Request')

type Attributes = Readonly<Record<string, string | number | boolean>>

/** A span as the collector received it. */
export type SentSpan = ReturnType<typeof readSpans>[number]

type Answering = (request: IncomingMessage, response: ServerResponse) => void

/** A receiver of OTLP over HTTP, which decodes requests with the official message format. */
export async function startCollector() {
  const spans: SentSpan[] = []
  const requests: IncomingMessage[] = []
  let answer: Answering = (_request, response) => void response.end()
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      requests.push(request)
      spans.push(...readSpans(Buffer.concat(chunks)))
      answer(request, response)
    })
  })
  const { url } = await listenOnLoopback(server)
  return {
    url,
    spans,
    requests,
    /** Sets how it answers a request that it has read. */
    answerWith: (next: Answering) => void (answer = next),
    stop: () => server.close().closeAllConnections(),
  }
}

function readSpans(body: Buffer) {
  const read: Json = OTLP.toObject(OTLP.decode(body), { bytes: String, longs: Number, arrays: true })
  return (read.resource_spans as Json[]).flatMap(({ resource, scope_spans }) => {
    const attributes = toAttributes(resource.attributes)
    const spans: Json[] = scope_spans.flatMap((scope: Json) => scope.spans)
    return spans.map((span) => ({
      service: String(attributes['service.name']),
      resource: attributes,
      traceId: toHex(span.trace_id),
      spanId: toHex(span.span_id),
      /** '' for the first span of a trace. */
      parentId: toHex(span.parent_span_id ?? ''),
      name: span.name as string,
      /** 1 internal, 2 server, 3 client, 4 producer, 5 consumer. */
      kind: span.kind as number,
      isFailed: span.status?.code === 2,
      attributes: toAttributes(span.attributes),
    }))
  })
}

const toHex = (base64: string): string => Buffer.from(base64, 'base64').toString('hex')

const toAttributes = (pairs: Json[]): Attributes =>
  Object.fromEntries(pairs.map(({ key, value }) => [key, Object.values(value as object)[0] ?? '']))
