import { Group } from '@mantine/core'
import type { ReactNode } from 'react'

/** The buttons of a dialog: at its end, and in view while what is above them scrolls. */
export const DialogFoot = ({ children }: { children: ReactNode }) => (
  <Group justify="flex-end" className="form-foot">
    {children}
  </Group>
)
