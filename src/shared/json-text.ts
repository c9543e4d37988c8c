/** An answer that is JSON text already: a long one is written piece by piece, so that it does not block the process. */
export class JsonText {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}
