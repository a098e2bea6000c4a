import { deleteStream } from '../api/streams.js';
import { TypedNameForm } from '../form/typed-name-form.js';
import { countOf } from '../frame/size-text.js';

interface Props {
  readonly organization: string;
  readonly stream: string;
  readonly records: number;
  readonly onDeleted: () => void;
}

export function DeleteForm({ organization, stream, records, onDeleted }: Props) {
  const remove = async (): Promise<void> => {
    await deleteStream(organization, stream);
    onDeleted();
  };
  return (
    <TypedNameForm what="stream" name={stream} remove={remove}>
      Deletes {stream} with its {countOf(records)} and what was rejected of it, for good.
    </TypedNameForm>
  );
}
