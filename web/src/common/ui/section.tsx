import { Title } from '@mantine/core'
import type { ReactNode } from 'react'

type Props = { readonly id: string; readonly title: string; readonly children: ReactNode }

/** A part of a page with a heading of its own. @param props.id of the heading, unique in the page */
export const Section = ({ id, title, children }: Props) => (
  <section aria-labelledby={id}>
    <Title order={2} id={id} mb="sm">
      {title}
    </Title>
    {children}
  </section>
)
