// The shapes of answers that docs/specification/interface.md 3.9 names, and the kernel's own for what
// it leaves open.
import assert from 'node:assert/strict';

const areStrings = (json, ...names) => {
  for (const name of names) assert.equal(typeof json[name], 'string', name);
};
const isStatus = (json) => assert.equal(json.ok, true);
export const isResultMap = (json) => {
  assert.ok(Array.isArray(json.rows));
  for (const member of ['total_rows', 'offset', 'size']) assert.equal(typeof json[member], 'number');
  assert.equal(json.size, json.rows.length);
};
const isCheck = (json) => {
  assert.equal(json.ok, true);
  assert.equal(typeof json.check, 'boolean');
};
const areChecks = (third) => (json) => {
  assert.ok(json.checks.length > 0);
  for (const one of json.checks) {
    areStrings(one, 'permissionedId', 'principalId', third);
    assert.equal(typeof one.result, 'boolean');
  }
};

/// By what operations.json calls them: each checks an answer.
/// What both configurations have, and the job.
const isConfiguration = (json) => {
  areStrings(json, '_doc', 'state');
  for (const name of ['includeACLs', 'includeTeams', 'includeActivities', 'includeBinaries', 'includeAttachments'])
    assert.equal(typeof json[name], 'boolean', name);
};

export const shapes = {
  'Status': isStatus,
  'Result map': isResultMap,
  'Check single authority response': isCheck,
  'check permission response': isCheck,
  'Check multiple authorities response': areChecks('authorityId'),
  'Check multiple permissions response': areChecks('permissionId'),
  'ACL list response': (json) => {
    isResultMap(json);
    assert.ok(json.rows.length >= 1);
    for (const row of json.rows) {
      areStrings(row, '_doc', 'name', 'type', 'domainId', 'domainQualifiedId', 'domainQualifiedName', 'principalId',
                 'userEmail', 'userFirstName', 'userLastName');
      assert.ok(Array.isArray(row.authorities));
    }
  },
  'ACL-for-principal response': (json) => {
    isResultMap(json);
    for (const key of json.rows) assert.equal(typeof key, 'string');
  },
  'Authorities report response': (json) => {
    const grants = Object.values(json).flatMap((one) => Object.values(one));
    assert.ok(grants.length > 0);
    for (const grant of grants) areStrings(grant, 'role-key', 'principal', 'permissioned');
  },
  'Export configuration response': (json) => {
    isConfiguration(json);
    for (const name of ['startDate', 'endDate']) assert.equal(typeof json[name], 'object', name);
    areStrings(json, 'startChangeset', 'endChangeset');
    for (const name of ['artifactDependencies', 'artifactIncludes']) assert.ok(Array.isArray(json[name]), name);
    assert.equal(typeof json.forceIncludes, 'boolean');
  },
  'Import configuration response': (json) => {
    isConfiguration(json);
    assert.ok(json.strategy.every((word) => typeof word === 'string'));
    assert.equal(typeof json.substitutions, 'string');
  },
  'the resource': (json) => {
    assert.equal(typeof json._doc, 'string');
    assert.equal(typeof json._system, 'object');
    assert.ok(!('ok' in json) && !('error' in json));
  },
  'Team': (json) => {
    areStrings(json, '_doc', 'key', 'groupId', 'groupDomainId', 'teamableObjectTypeId', 'teamableObjectId');
    assert.ok(Array.isArray(json.roleKeys));
  },
  'membership check response': (json) => {
    assert.equal(json.ok, true);
    assert.equal(typeof json.belongs, 'boolean');
  },
  'authority list for a team': (json) => {
    assert.ok(Array.isArray(json.authorities));
    for (const key of json.authorities) assert.equal(typeof key, 'string');
  },
  'a role record': (json) => {
    areStrings(json, '_doc', 'roleKey');
    assert.ok(Array.isArray(json.permissions));
  },
  'empty object': (json) => {
    assert.equal(typeof json, 'object');
    assert.ok(!('error' in json));
    assert.ok(Object.keys(json).length > 0);
  },
};
