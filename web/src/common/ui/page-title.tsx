import { Group, Title } from '@mantine/core'
import { useEffect, useRef, type ReactNode } from 'react'

type Props = {
  /** Also the title of the browser's tab. */
  readonly title: string
  /** Buttons beside it. */
  readonly children?: ReactNode
}

/** The heading of a screen. It takes the focus when the screen opens, so that screen readers and the tab key begin here. */
export function PageTitle({ title, children }: Props) {
  const heading = useRef<HTMLHeadingElement>(null)
  useEffect(() => {
    heading.current?.focus({ preventScroll: true })
  }, [])
  useEffect(() => {
    document.title = `${title} · Console`
  }, [title])
  return (
    <Group justify="space-between" mb="md" gap="sm">
      <Title order={1} size="h2" ref={heading} tabIndex={-1} className="page-title">
        <bdi className="foreign">{title}</bdi>
      </Title>
      {children && <Group gap="xs">{children}</Group>}
    </Group>
  )
}
