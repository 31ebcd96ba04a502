import { Button } from '@mantine/core'
import { useClipboard } from '@mantine/hooks'
import { IconCheck, IconCopy } from './icons.ts'
import { texts } from './texts.ts'

type Props = {
  readonly text: string
  /** What is copied, for screen readers: `key`, `delivery id`. */
  readonly what: string
  /** The text of the button. Without it, the button is an icon. */
  readonly label?: string
}

/** A button that copies a text and then says so. */
export function Copy({ text, what, label }: Props) {
  const { copied, copy } = useClipboard({ timeout: 2_000 })
  const name = copied ? texts.copied({ what }) : texts.copy({ what })
  const Icon = copied ? IconCheck : IconCopy
  const icon = <Icon size={14} stroke={1.75} aria-hidden />
  // A plain element instead of a component, because a list has a hundred of them.
  if (label === undefined)
    return (
      <button
        type="button"
        className="copy"
        data-done={copied || undefined}
        onClick={() => copy(text)}
        aria-label={name}
        title={name}
      >
        {icon}
      </button>
    )
  return (
    <Button
      size="compact-sm"
      variant="default"
      onClick={() => copy(text)}
      aria-label={name}
      leftSection={icon}
    >
      <span aria-live="polite">{copied ? texts.copiedAlone : label}</span>
    </Button>
  )
}
