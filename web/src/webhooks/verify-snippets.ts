type Snippet = { readonly name: string; readonly text: (secret: string) => string }

const NODE: Snippet = {
  name: 'Node',
  text: (secret) => `import { createHmac, timingSafeEqual } from 'node:crypto'

const SECRET = '${secret}'

/** Throws unless the request is authentic and recent. rawBody: the bytes that arrived, before any JSON parser. */
export function verify(headers, rawBody) {
  const id = headers['webhook-id'], timestamp = headers['webhook-timestamp']
  if (!(Math.abs(Date.now() / 1000 - Number(timestamp)) <= 300)) throw new Error('too old or too new')
  const key = Buffer.from(SECRET.slice('whsec_'.length), 'base64')
  const mac = createHmac('sha256', key).update(\`\${id}.\${timestamp}.\`).update(rawBody).digest('base64')
  const expected = Buffer.from(\`v1,\${mac}\`)
  const isOurs = (headers['webhook-signature'] ?? '').split(' ').some((text) => {
    const given = Buffer.from(text)
    return given.length === expected.length && timingSafeEqual(given, expected)
  })
  if (!isOurs) throw new Error('wrong signature')
}
`,
}

const PYTHON: Snippet = {
  name: 'Python',
  text: (secret) => `import base64, hashlib, hmac, time

SECRET = "${secret}"


def verify(headers, raw_body):
    """Raises ValueError unless the request is ours and fresh. raw_body: the bytes that came."""
    timestamp = headers.get("webhook-timestamp", "")
    if not timestamp.isdecimal() or abs(time.time() - int(timestamp)) > 300:
        raise ValueError("too old or too new")
    key = base64.b64decode(SECRET.removeprefix("whsec_"))
    signed = f"{headers.get('webhook-id', '')}.{timestamp}.".encode() + raw_body
    mac = base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest())
    given = headers.get("webhook-signature", "").encode().split(b" ")
    if not any(hmac.compare_digest(each, b"v1," + mac) for each in given):
        raise ValueError("wrong signature")
`,
}

const OPENSSL: Snippet = {
  name: 'openssl',
  text: (
    secret,
  ) => `# The signature of one request, to compare by eye. ID and TIMESTAMP: its headers; body: a file with its bytes.
ID='evt_…' TIMESTAMP='…'
key=$(printf %s '${secret.replace('whsec_', '')}' | openssl base64 -d -A | od -An -v -tx1 | tr -d ' \\n')
{ printf '%s.%s.' "$ID" "$TIMESTAMP"; cat body; } |
  openssl dgst -sha256 -mac HMAC -macopt "hexkey:$key" -binary | openssl base64 -A
`,
}

/** Programs that check a signature, with the secret filled in. docs/receiving.md has the longer ones. */
export const VERIFY_SNIPPETS: readonly [Snippet, ...Snippet[]] = [NODE, PYTHON, OPENSSL]
