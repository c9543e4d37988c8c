/** A response that is already JSON text. Long lists are serialised in pieces, so that they do not block the process. */
export class JsonText {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}
