import { Button, Menu } from '@mantine/core'
import { useRef, useState } from 'react'
import type { FilteredPage, SavedFilter } from '../api/wire.ts'
import { useMay } from '../session/context.ts'
import { useOne } from '../session/queries.ts'
import { ForeignName } from '../ui/foreign-text.tsx'
import { IconChevronDown } from '../ui/icons.ts'
import { ManageDialog } from './manage-dialog.tsx'
import { SaveDialog } from './save-dialog.tsx'
import { texts } from './texts.ts'

type Props = {
  readonly page: FilteredPage
  /** The filters that are set, as the query of an address; empty: none. */
  readonly query: string
  readonly onChoose: (query: string) => void
}

/** The filters that the user keeps for a page: sets them, keeps the present ones, leads to the others. */
export function SavedFilters({ page, query, onChoose }: Props) {
  const [open, setOpen] = useState<'save' | 'manage'>()
  const mayChange = useMay('filters.write')
  const button = useRef<HTMLButtonElement>(null)
  const { data } = useOne<readonly SavedFilter[]>('/saved-filters')
  const kept = (data?.item ?? []).filter((filter) => filter.page === page)
  const close = () => {
    setOpen(undefined)
    // After the dialog, which would give the focus to the menu's item that is gone.
    requestAnimationFrame(() => button.current?.focus())
  }
  return (
    <>
      <Menu position="bottom-start" returnFocus={false} withInitialFocusPlaceholder={false}>
        <Menu.Target>
          <Button
            ref={button}
            variant="default"
            rightSection={<IconChevronDown size={14} stroke={1.75} aria-hidden />}
          >
            {texts.savedFilters}
          </Button>
        </Menu.Target>
        <Menu.Dropdown className="saved-filters">
          {kept.map((filter) => (
            <Menu.Item key={filter.id} onClick={() => onChoose(filter.query)}>
              <ForeignName text={filter.name} />
            </Menu.Item>
          ))}
          {kept.length === 0 && <Menu.Label>{texts.none}</Menu.Label>}
          {mayChange && query !== '' && (
            <Menu.Item onClick={() => setOpen('save')}>{texts.saveThese}</Menu.Item>
          )}
          {mayChange && kept.length > 0 && (
            <Menu.Item onClick={() => setOpen('manage')}>{texts.renameOrDelete}</Menu.Item>
          )}
        </Menu.Dropdown>
      </Menu>
      {open === 'save' && <SaveDialog page={page} query={query} onClose={close} />}
      {open === 'manage' && <ManageDialog kept={kept} onClose={close} />}
    </>
  )
}
