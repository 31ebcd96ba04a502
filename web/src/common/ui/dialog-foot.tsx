import { Group } from '@mantine/core'
import type { ReactNode } from 'react'

/** The buttons of a dialog. They stay in view while the content above them scrolls. */
export const DialogFoot = ({ children }: { children: ReactNode }) => (
  <Group justify="flex-end" className="form-foot">
    {children}
  </Group>
)
