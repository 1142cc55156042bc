// SPDX-License-Identifier: Apache-2.0
import Base

/// A client of a platform's servers, for enrolments (`StudyFinder`), the agent's `UpdateService` and commands.
/// Every call blocks: call it on a separate thread. Keeps no state; only a `ProgressReporter` does.
///
/// Answers are not sent by it: they go through the outbox, by the platform's wire.
package protocol StudyServer: Sendable {
    /// Fetches the study that is asked for; throws in words what the server refuses. May be called
    /// again: a token is used up only by joining.
    func offer(_ request: JoinRequest) throws -> JoinOffer

    /// How often `news` is called; nil = never.
    var newsInterval: Duration? { get }
    /// Why no server is asked for news of a study that was enrolled from `source`; nil = one is.
    func reasonForNoNews(from source: String) -> String?
    /// Asks every server once for what has changed; what could not be asked is in `faults`, beside the rest.
    func news(since known: KnownStudy) -> ServerUpdate
    /// Takes a consent that was recorded during the enrolment: throws in words why it does not count, and tells servers
    /// that keep it.
    func renew(_ consent: JoinRequest.Consent, of known: KnownStudy) throws
    /// Asks for the reward of a study that has one; throws what keeps the server from answering.
    func reward(_ known: KnownStudy) throws -> RewardAnswer
    /// The data of all participants that the study's charts show, as the server writes it; throws what
    /// keeps it from answering.
    func publicChartData(_ known: KnownStudy) throws -> [UInt8]
    /// Reports the participant's progress; nil = no server wants to know.
    func reporter() -> (any ProgressReporter)?
}

extension StudyServer {
    package var newsInterval: Duration? { nil }
    /// There is no news on this platform.
    package func reasonForNoNews(from source: String) -> String? { "this study has no server to check for updates" }
    package func news(since known: KnownStudy) -> ServerUpdate { ServerUpdate() }
    package func renew(_ consent: JoinRequest.Consent, of known: KnownStudy) throws {
        throw PlatformServerError("no server of this platform says which consent its studies ask for")
    }
    package func reward(_ known: KnownStudy) throws -> RewardAnswer { .refused("this study has no reward") }
    /// Never called: only charts that want it (`StudyDrawings.wantsPublic`) are drawn from it.
    package func publicChartData(_ known: KnownStudy) throws -> [UInt8] { [] }
    package func reporter() -> (any ProgressReporter)? { nil }
}

/// What a server answers to a request for the reward (`studyd reward`).
package enum RewardAnswer: Sendable, Hashable {
    /// Given once, to be kept.
    case code(String)
    /// By the server's count these tasks were not done often enough; empty = it does not say which.
    case notYet(Set<String>)
    /// Never, and why.
    case refused(String)
}
