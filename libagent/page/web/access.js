// Access to the panel's server. The token arrives in the fragment of the address that the program prints. It stays in this
// tab: not in the address, and not in a cookie, which browsers send to all servers of this computer.

const name = 'eyehand-token';
let token = '';
let urlTokens = {}; // for addresses, which cannot contain the token: {events, pictures}

/** Moves the token from the address to this tab. Returns whether the address has one. */
function takeToken() {
    const found = /^#token=([0-9a-f]+)$/.exec(location.hash);
    if (!found) return false;
    [, token] = found;
    try {
        sessionStorage.setItem(name, token); // until the tab is closed, so that it can be reloaded
    } catch { /* the browser denies storage */ }
    history.replaceState(null, '', location.pathname + location.search);
    return true;
}

/** Call it before the first request. */
export function openAccess() {
    if (!takeToken()) {
        try {
            token = sessionStorage.getItem(name) ?? '';
        } catch { /* the browser denies storage */ }
    }
    // The user opens the address of another program on the same port in this tab.
    addEventListener('hashchange', () => {
        if (takeToken()) location.reload();
    });
}

/** `tokens`: `url_tokens` of /config; undefined if the server requires no token. */
export function setUrlTokens(tokens) {
    urlTokens = tokens ?? {};
}

/** The address with the token for 'events' or 'pictures', for requests without a header of their own. */
export function withUrlToken(path, purpose) {
    return urlTokens[purpose] ? `${path}?token=${urlTokens[purpose]}` : path;
}

/** fetch with the token. */
export function request(path, { headers = {}, ...options } = {}) {
    return fetch(path, { ...options, headers: token === '' ? headers : { ...headers, Authorization: `Bearer ${token}` } });
}
