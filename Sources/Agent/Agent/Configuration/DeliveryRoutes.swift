// SPDX-License-Identifier: Apache-2.0
import Base

/// The names of the destinations to which the outbox has each kind of item go, in addition to the study's server;
/// `EffectRunner` registers what is produced by them.
package struct DeliveryRoutes: Sendable {
    /// Destinations of recordings; none = they stay on the device.
    package var recordings: [String] = []
    package var answers: [String] = []
    /// Destinations of trees of results.
    package var results: [String] = []
    /// The destinations among `recordings` that do not take every recording, by name, each with its choice.
    private var picks: [String: @Sendable (RecordingDescription) -> Bool] = [:]

    package init() {}

    package init(_ destinations: [ConfiguredDestination]) {
        recordings = destinations.filter(\.takes.hasRecordings).map(\.destination.name)
        let answering = destinations.filter(\.takes.hasAnswers).map(\.destination)
        answers = answering.filter { !$0.takesResults }.map(\.name)
        results = answering.filter(\.takesResults).map(\.name)
        for destination in destinations.map(\.destination) where destination.picksRecordings {
            picks[destination.name] = { destination.takes($0) }
        }
    }

    func recordings(_ description: RecordingDescription) -> [String] {
        recordings.filter { picks[$0]?(description) ?? true }
    }

    /// Whether a recording's description, its JSON file, goes there as well.
    func takesDescriptions(_ destination: String) -> Bool { picks[destination] == nil }
}
