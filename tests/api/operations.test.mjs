// The operations of the specification, row by row, over the embedded store.
import { walkOperations } from '../support/operations_walk.mjs';
import { SteleServer } from '../support/stele_server.mjs';

walkOperations({
  start: (config) => SteleServer.start({ config }),
  end: (server) => server.end(),
  inEveryForm: true,
});
