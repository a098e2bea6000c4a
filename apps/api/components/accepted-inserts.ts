import { Injectable } from '@nestjs/common';
import { mayIn, OrganizationsProjection } from '@app/identity';
import { UploadIntake, UploadPipeline } from '@app/intake';
import { MillraceError, seesStream, type AuthenticatedRequest } from '@app/platform';
import { Inserts, type Insert, type Inserted } from '@app/query';
import { WriteProgress } from '@app/writer';

/**
 * Rows of ClickHouse's INSERT are an upload, but they come through a route for queries. So the
 * permission to upload is checked here.
 */
@Injectable()
export class AcceptedInserts extends Inserts {
  constructor(
    private readonly organizations: OrganizationsProjection,
    private readonly intake: UploadIntake,
    private readonly pipeline: UploadPipeline,
    private readonly progress: WriteProgress,
  ) {
    super();
  }

  async store(request: AuthenticatedRequest, { stream, kind, rowsOf }: Insert): Promise<Inserted> {
    this.admit(request, stream);
    const taken = await this.intake.take(request, rowsOf);
    const format = kind === 'csv' ? { kind, delimiter: ',' } : { kind };
    const result = await this.pipeline.upload({ ...taken, stream, format });
    // A client that inserts by ClickHouse's interface expects to read its rows after this answer.
    if (result.position) await this.progress.awaitWritten(result.position, result.first);
    return result;
  }

  /** @throws {MillraceError} FORBIDDEN, as the routes of uploads do */
  private admit(request: AuthenticatedRequest, stream: string): void {
    request.access = 'upload';
    const { caller, organization: asked } = request;
    const organization = asked && this.organizations.find(asked.name);
    if (!asked || !organization || !caller || !mayIn(organization, caller, 'upload'))
      throw new MillraceError(
        'FORBIDDEN',
        `you may not upload to organization ${asked?.name}, or there is no such organization`,
      );
    if (!seesStream(asked, stream))
      throw new MillraceError('FORBIDDEN', 'this token is for other streams');
  }
}
