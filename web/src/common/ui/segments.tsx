type Props<Value extends string> = {
  readonly label: string
  readonly choices: readonly { readonly value: Value; readonly label: string }[]
  readonly value: Value
  readonly onChange: (value: Value) => void
}

/** A choice of one out of a few, all of which are visible. */
export function Segments<Value extends string>({ label, choices, value, onChange }: Props<Value>) {
  return (
    <div className="segments" role="group" aria-label={label}>
      {choices.map((choice) => (
        <button
          key={choice.value}
          type="button"
          aria-pressed={choice.value === value}
          onClick={() => onChange(choice.value)}
        >
          {choice.label}
        </button>
      ))}
    </div>
  )
}
