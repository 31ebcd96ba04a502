import { Button, CopyButton, UnstyledButton } from '@mantine/core'
import { IconCheck, IconCopy } from './icons.ts'

type Props = {
  readonly text: string
  /** Named for screen readers: `key`, `delivery id`. */
  readonly what: string
  /** A button with this word; without it, a sign alone. */
  readonly label?: string
}

/** Copies a text, and says that it did. */
export function Copy({ text, what, label }: Props) {
  return (
    <CopyButton value={text} timeout={2_000}>
      {({ copied, copy }) => {
        const name = copied ? `Copied ${what}` : `Copy ${what}`
        const Icon = copied ? IconCheck : IconCopy
        return label === undefined ? (
          <UnstyledButton
            className="copy"
            data-done={copied || undefined}
            onClick={copy}
            aria-label={name}
            title={name}
          >
            <Icon size={14} stroke={1.75} aria-hidden />
          </UnstyledButton>
        ) : (
          <Button
            size="compact-sm"
            variant="default"
            onClick={copy}
            aria-label={name}
            leftSection={<Icon size={14} stroke={1.75} aria-hidden />}
          >
            <span aria-live="polite">{copied ? 'Copied' : label}</span>
          </Button>
        )
      }}
    </CopyButton>
  )
}
