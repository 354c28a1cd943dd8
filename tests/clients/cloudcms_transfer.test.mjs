// Exports and imports by reference with the driver cloudcms and each of its engines, against the real program:
// docs/specification/merge_and_transfer.md 4.1 and 4.4, as the driver's own tests do them.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { SteleServer } from '../support/stele_server.mjs';
import { configFor, connectWith, engines, told } from './cloudcms_driver.mjs';

const master = 'master';
const title = 'a novel node';
const everything = {
  tipChangesetOnly: true, includeACLs: true, includeTeams: true, includeTeamMembers: true, includeRoles: true,
  includeActivities: false, includeBinaries: true, includeAttachments: true };

let server;
let versions = 0;
before(async () => { server = await SteleServer.start(); });
after(() => server.end());

for (const engine of engines) {
  /// A session, what names an archive of its own, and a project that a job has made.
  const withProject = (name, work) => test(`${engine[0]}: ${name}`, async () => {
    const session = await connectWith(engine, configFor(server));
    const started = async (fields) => {
      const job = await session.pollForJobCompletion((await session.startCreateProject(fields))._doc);
      const project = await session.readProject(job._result['created-project-id']);
      return { project, repository: await session.readDataStore(project.stackId, 'content') };
    };
    const version = `${++versions}`;
    await work({ session, started, place: { group: 'test', artifact: 'test', version, title: `test-${version}` }, ...await started({ title: `test-${version}` }) });
  });

  withProject('a published project is a type of projects, and one of that type has its nodes (4.4.10)', async ({ session, started, place, project, repository }) => {
    await session.createNode(repository, master, { title });
    const reference = `project://${(await session.readPlatform())._doc}/${project._doc}`;
    const job = await session.exportArchive(reference, { ...place, published: true }, everything);
    await session.waitForJobCompletion(job);
    const archive = await session.lookupArchive(place.group, place.artifact, place.version);
    assert.deepEqual([archive.published, archive.title], [true, place.title]);
    const type = (await session.listProjectTypes({ limit: -1 })).rows.find((item) => item.identifier === `test-test-${place.version}`);
    assert.ok(type.reference);
    const made = await started({ title: 'of the type', projectType: type.reference });
    assert.equal(made.project.title, 'of the type');
    assert.equal(made.project.projectType, type.reference);
    assert.equal((await session.queryOneNode(made.repository, master, { title }))?.title, title);
    await Promise.all([session.deleteArchive(archive), session.deleteProject(project), session.deleteProject(made.project)]);
    assert.ok(!(await session.listProjectTypes({ limit: -1 })).rows.some((item) => item.identifier === type.identifier));
  });

  withProject('a node that is cloned into another project has its id there (4.4.14)', async ({ session, started, place, project, repository }) => {
    const { _doc: branch } = await session.readBranch(repository, master);
    const { _doc: id } = await session.createNode(repository, branch, { title });
    await session.waitForJobCompletion(await session.exportNodes(repository, branch, await session.readNode(repository, branch, id), place, everything));
    assert.ok(await session.lookupArchive(place.group, place.artifact, place.version));
    const other = await started({ title: 'other' });
    const { _doc: target } = await session.readBranch(other.repository, master);
    assert.equal(await session.readNode(other.repository, target, id), null);
    // What the export was told goes along, as the driver's own test does it, and is ignored.
    const job = await session.waitForJobCompletion(await session.importArchiveToBranch(other.repository, target, { ...place, published: true }, { strategy: 'CLONE' }));
    assert.deepEqual(job._result.imports, job.imports);
    assert.equal(job.imports[0].targets.at(-1).id, id);
    const copy = await session.readNode(other.repository, target, id);
    assert.equal(copy.title, title);
    const archive = await session.lookupArchive(place.group, place.artifact, place.version);
    assert.equal(archive.published, false);
    await Promise.all([session.deleteArchive(archive), session.deleteProject(project), session.deleteProject(other.project)]);
  });

  withProject('a project is exported by itself, and what leads nowhere is refused', async ({ session, place, project }) => {
    const job = await session.waitForJobCompletion(await session.exportProject(project, place, { ...everything }));
    assert.deepEqual([job.type, job._data.archiveVersion], ['export', place.version]);
    assert.equal((await session.lookupArchive(place.group, place.artifact, place.version)).type, 'project');
    await assert.rejects(session.exportArchive('project://nowhere/x', place, {}), (error) => {
      const { status, body } = told(error);
      assert.equal(status, 400);
      assert.match(body.message, /sources/);
      return true;
    });
  });
}
