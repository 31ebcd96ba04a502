import type { ReactNode } from 'react'
import { sentence } from './common/ui/sentence.ts'

export const texts = {
  // company.tsx
  anotherCompany: 'Another company',
  foreignCompany: ({ company }: { company: ReactNode }) =>
    sentence`This page belongs to another company. You are signed in to ${company}. Sign out to sign in there.`,
  goToYourOwnCompany: 'Go to your own company',
}
