import { Title } from '@mantine/core'
import type { ReactNode } from 'react'

type Props = { readonly id: string; readonly title: string; readonly children: ReactNode }

/** A part of a page below its own heading, by which it is found. @param props.id of the heading, once in the page */
export const Section = ({ id, title, children }: Props) => (
  <section aria-labelledby={id}>
    <Title order={2} id={id} mb="sm">
      {title}
    </Title>
    {children}
  </section>
)
