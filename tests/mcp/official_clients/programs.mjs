// Programs for the clients to use. `received` waits until the program has received the input of a tool.
import { spawn } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';

export async function eventually(condition, what) {
    const end = Date.now() + 60_000;
    while (!(await condition())) {
        if (Date.now() > end) throw new Error(`not within a minute: ${what}`);
        await pause(10);
    }
}

function start(command) {
    spawn(command[0], command.slice(1), { stdio: 'ignore', detached: true }).unref();
}

const x11_input = {
    click: /^button 1 /m,
    double_click: /(^button 1 [^]*){3}/m,
    right_click: /^button 3 /m,
    drag: /^button-up 1 /m,
    scroll: /^button 5 /m,
    type: /^key 61 a[^]*^key 62 b/m,
    press: /^key 78 x/m,
    hold: /^key ffe1/m,
    paste: /^key 76 v/m,
};

/** `eyehand-x11-window`, which logs its input and changes a color with each. It ends with the X server. */
export class X11Window {
    static #count = 0;

    constructor(program, folder, title) {
        this.title = title;
        this.#log = `${folder}/${title}.log`;
        this.#program = program;
    }
    /** Whether the tool has a visible effect. */
    shows() {
        return true;
    }
    get launch_command() {
        return this.#command(this.title).join(' ');
    }
    start() {
        start(this.#command(this.title));
    }
    /** Returns the title of the other window. */
    start_another() {
        const title = `${this.title}-other`;
        start(this.#command(title));
        return title;
    }
    async received(tool) {
        const expected = x11_input[tool];
        if (!expected) return;
        await eventually(() => expected.test(readFileSync(this.#log, 'utf8')), `${tool} in ${this.#log}`);
    }
    /** In desktop pixels. */
    get clicked_at() {
        return readFileSync(this.#log, 'utf8').match(/^button 1 (\d+) (\d+)/m).slice(1).map(Number);
    }

    #command(title) {
        const color = (0x3366cc + 0x101010 * X11Window.#count++) & 0xffffff; // each window changes the screen
        const log = this.#log.replace(this.title, title);
        return [this.#program, log, title, '400', '300', color.toString(16).padStart(6, '0'), '-2'];
    }
    #log;
    #program;
}

/** Wine's Notepad with a file, so that its title is known. It ends with the desktop. */
export class Notepad {
    constructor(name) {
        this.title = `${name}.txt - Notepad`;
        this.#file = name;
    }
    shows(tool) {
        return !['click', 'double_click', 'drag', 'focus_window', 'hold', 'move', 'scroll'].includes(tool);
    }
    get launch_command() {
        return `notepad.exe ${this.#create(this.#file)}`;
    }
    start_another() {
        const name = `${this.#file}-other`;
        start(['wine', 'notepad.exe', this.#create(name)]);
        return `${name}.txt - Notepad`;
    }
    async received() {}

    #create(name) {
        const folder = `${process.env.WINEPREFIX}/drive_c/clients`;
        mkdirSync(folder, { recursive: true });
        writeFileSync(`${folder}/${name}.txt`, '');
        return `C:\\clients\\${name}.txt`;
    }
    #file;
}
