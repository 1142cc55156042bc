// SPDX-License-Identifier: Apache-2.0
import Lab

/// Which stand-ins are played, and how: `StandInOptions` makes it of the command line, `Receiver` calls `open`.
struct ChosenStandIns: StandInChoice {
    var mystudies: [String] = []
    /// Applications that may read their metadata.
    var applications: [StandInApplication] = []
    /// The organisation of the applications: asked for in header fields where the real servers do.
    /// Nil = not asked for.
    var organisation: String?
    /// Checks the answers of FDA MyStudies at once and refuses what the platform would
    /// find wrong later.
    var isStrict = false
    /// How long an answer of FDA MyStudies waits before it is checked, unless the
    /// receiver is strict.
    var patience: Duration = .seconds(2)
    /// A file with accounts of FDA MyStudies, in addition to those in the studies' folders.
    var accounts: String?
    /// How long a sign-in to FDA MyStudies is valid.
    var sessionLifetime: Duration = .seconds(30 * 60)
    var esmira: [String] = []
    /// The folder with the accounts of a Bridge server; nil = none is played.
    var bridge: String?

    /// Opens every stand-in that was asked for; a new kind adds its line here.
    func open(_ lab: StandInParts) throws -> [any StandIn] {
        let all: [(any StandIn)?] = [
            try BridgeRoutes(self, lab),
            try MyStudiesRoutes(self, lab),
            try ESMiraRoutes(self, lab),
        ]
        return all.compactMap(\.self)
    }
}
