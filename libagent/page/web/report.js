// The page of a report: a run that is read from the page itself.
import { byId } from './element.js';
import { listenToKeys } from './keys.js';
import { RunPage } from './page.js';
import { FrozenPictures } from './pictures.js';
import { counted, frozenRun } from './run.js';

const read = (id) => JSON.parse(byId(id).textContent);

const data = read('run');
const pictures = new FrozenPictures(read('pictures'), read('images'));
const run = frozenRun(data);
const remarks = [...data.remarks];
if (!run.state.outcome) remarks.unshift('The run was interrupted, or was still going on when this report was made.');
if (run.turns.size === 0) remarks.push('The run has no turn.');
if (pictures.reduced() > 0)
    remarks.push(`So that this file stays small, ${counted(pictures.reduced(), 'picture')} of it ${pictures.reduced() === 1 ? 'is' : 'are'} ` +
        'reduced. The originals are in the run directory.');

const page = new RunPage({ config: data.config, pictures, frozen: true, remarks });
listenToKeys(page.keys());
page.show(run);
document.documentElement.dataset.ready = 'true';
