/** The meaning of a state. Each has an icon and a colour. */
export type Tone = 'good' | 'warning' | 'bad' | 'idle' | 'busy'
