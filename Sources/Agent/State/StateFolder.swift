// SPDX-License-Identifier: Apache-2.0
import Glibc
import SystemKit

/// Where the agent keeps things: `studyd.sqlite`, `recordings/`, `media/`, `speech/`, `results/` and the control socket.
package struct StateFolder: Sendable {
    /// The folder itself.
    package let path: String
    /// Path of the SQLite file: event log, outbox and what is derived from them.
    package let database: String
    /// Path of the folder of recordings, open and sealed.
    package let recordings: String
    /// Path of the folder of a study's sounds, fetched at enrolment.
    package let media: String
    /// Path of the folder of spoken texts, WAV.
    package let speech: String
    /// Path of the folder of result trees.
    package let results: String
    /// Path of what the watchdog remembers over a restart.
    package let restart: String
    /// Path of what outlives the store: who takes part.
    package let enrolment: String
    /// Path of the agent's lock: whoever holds it is the one agent of this folder.
    package let lock: String
    /// Path of the control socket; whoever holds it is the one agent of this folder.
    package let socket: String

    /// The folder at `path`, made where it is not there; its parent must be.
    package init(_ path: String) throws {
        guard mkdir(path, 0o750) == 0 || errno == EEXIST else {
            throw FileFault(
                path: path, message: String(cString: strerror(errno)),
                remedy: "create it, or use another with --state")
        }
        // Whatever is made from now on is for the agent and its group, whoever started it and however.
        umask(umask(0o027) | 0o027)
        self.path = path
        database = path + "/studyd.sqlite"
        recordings = path + "/recordings"
        media = path + "/media"
        speech = path + "/speech"
        results = path + "/results"
        restart = path + "/restart"
        enrolment = path + "/enrolment"
        lock = path + "/lock"
        socket = path + "/control.sock"
    }
}
