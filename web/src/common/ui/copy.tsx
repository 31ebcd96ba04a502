import { Button, CopyButton } from '@mantine/core'

/** Copies a text, and says that it did. @param what named for screen readers: `key`, `delivery id` */
export function Copy({ text, what, label = 'Copy' }: { text: string; what: string; label?: string }) {
  return (
    <CopyButton value={text} timeout={2_000}>
      {({ copied, copy }) => (
        <Button
          size="compact-xs"
          variant="default"
          onClick={copy}
          aria-label={copied ? `Copied ${what}` : `Copy ${what}`}
        >
          <span aria-live="polite">{copied ? 'Copied' : label}</span>
        </Button>
      )}
    </CopyButton>
  )
}
