// The page of a report: the data of the run is in the page itself.
import { byId } from './element.js';
import { listenToKeys } from './keys.js';
import { RunPage } from './page.js';
import { FrozenScreenshots } from './screenshots.js';
import { FrozenTexts } from './frozen_texts.js';
import { counted, frozenRun } from './run.js';

const read = (id) => JSON.parse(byId(id).textContent);

const data = read('run');
const pictures = new FrozenScreenshots(read('pictures'), read('images'));
const run = frozenRun(data);
const remarks = [...data.remarks];
if (!run.state.outcome) remarks.unshift('The run was interrupted, or was still in progress when this report was written.');
if (run.turns.size === 0) remarks.push('The run has no turns.');
if (pictures.reduced() > 0)
    remarks.push(`${counted(pictures.reduced(), 'screenshot')} ${pictures.reduced() === 1 ? 'is' : 'are'} reduced in quality ` +
        'to limit the size of this file. The originals are in the run directory.');

const page = new RunPage({ config: data.config, pictures, texts: new FrozenTexts(data.texts), frozen: true, remarks });
listenToKeys(page.keys());
page.show(run);
document.documentElement.dataset.ready = 'true';
