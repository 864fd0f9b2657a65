// How the positions of the run's model were measured (agent-cli calibrate), and what the run uses of it.
import { byId, element, onChange } from './element.js';

const known = (value) => value !== null && value !== undefined;
const percent = (share) => (known(share) ? `${Math.round(100 * share)} %` : '–');

/** "55 to 93 %" */
function rangeText({ low, high }) {
    return known(low) && known(high) ? `${Math.round(100 * low)} to ${percent(high)}` : '–';
}

/** "+3.1"; a minus sign for negative numbers. */
function signed(value) {
    return `${value < 0 ? '−' : '+'}${Math.abs(value).toFixed(1)}`;
}

function correctionText({ scale_x: scaleX, offset_x: offsetX, scale_y: scaleY, offset_y: offsetY }) {
    const factors = scaleX === 1 && scaleY === 1 ? '' : `, factors x ${scaleX.toFixed(3)}, y ${scaleY.toFixed(3)}`;
    return `x ${signed(offsetX)}, y ${signed(offsetY)}${factors}`;
}

/** "12 of 15, 80 % (55 to 93 %)" */
function rateText(rate) {
    return `${rate.hits} of ${rate.total}, ${percent(rate.hits / rate.total)} (${rangeText(rate)})`;
}

function shareText({ in_convention: inside, total }) {
    return known(inside) && total > 0 ? `${inside} of ${total}` : '';
}

/** The date in UTC, as 2026-11-26. */
function dateText(seconds) {
    return known(seconds) && Math.abs(seconds) < 1e11 ? new Date(seconds * 1000).toISOString().slice(0, 10) : '';
}

function factsOf({ model, text, convention, grounds, residual, uncorrected_residual: before, small, early, late, time, version, used }) {
    const { correction } = used;
    const error = known(residual) ? `${residual.toFixed(1)}/1000 of the image` : '';
    const corrected = known(before) && known(residual) && before > residual ? `, ${before.toFixed(1)} without correction` : '';
    return [
        ['Positions', grounds ? text ?? convention : 'no grounding'],
        ['Model', model ?? ''],
        ['Convention of the run', used.convention === convention && grounds ? '' : used.convention],
        ['Correction', correction ? correctionText(correction) : 'none'],
        ['Error (median)', grounds ? error + corrected : ''],
        ['Small targets', known(small.hits) && small.total > 0 ? rateText(small) : ''],
        ['In the convention, early turns', grounds ? shareText(early) : ''],
        ['In the convention, later turns', grounds ? shareText(late) : ''],
        ['Measured', [dateText(time), version ? `Eyehand ${version}` : ''].filter(Boolean).join(', ')],
    ].filter(([, value]) => value);
}

function warningsOf({ warnings, alternatives }) {
    const texts = warnings.filter(Boolean).map((warning) => `${warning[0].toUpperCase()}${warning.slice(1)}.`);
    if (alternatives.length > 0) texts.push(`Alternatives: ${alternatives.join('; ')}.`);
    return texts;
}

/** Shows the calibration of the configuration; null: the run has none. */
export function showCalibration(calibration) {
    byId('calibration').hidden = calibration === null;
    if (calibration === null) return;
    onChange(byId('calibration'), calibration, () => {
        byId('calibration-warnings').replaceChildren(...warningsOf(calibration).map((warning) =>
            element('p', { class: 'notice', 'data-kind': 'warning' }, warning)));
        byId('calibration-facts').replaceChildren(...factsOf(calibration).map(([name, value]) =>
            element('div', {}, element('dt', {}, name), element('dd', {}, value))));
        const rates = calibration.rates.filter(({ size, hits, total }) => known(size) && known(hits) && total > 0);
        byId('calibration-rates').querySelector('tbody').replaceChildren(...rates.map((rate) => element('tr', {},
            element('th', { scope: 'row' }, `${rate.size} px`), element('td', {}, `${rate.hits} of ${rate.total}`),
            element('td', {}, percent(rate.hits / rate.total)), element('td', {}, rangeText(rate)))));
    });
}
