// SPDX-License-Identifier: Apache-2.0
import Base
import Study
import SystemKit

/// Finishes a takeover (`FolderTakeover`: a folder on a stick or the boot partition sets the device up for a
/// participant) beside the running agent: enrols when the study's server can be reached, and when cloud-init has
/// done its work wipes what it was given and switches it off. `studyd-takeover-finish.service` calls `takeTurn` every
/// ten seconds until it returns true.
package struct TakeoverFinish {
    /// After this many refusals by a server that can be reached, the refusal is final; a first one may come
    /// from an agent that still starts, or a server that is busy.
    private static let tries = 3
    /// From one refusal to the next try: a server that is restarted answers something, too.
    private static let pause = Duration.seconds(300)
    private let places: TakeoverPlaces
    private let clock: any StudyClock
    private let reaches: (String) -> Bool
    /// Asks the agent to enrol; false where none runs yet.
    private let enrol: (EnrolmentRequest) async throws -> Bool
    /// Writes `RESULT.txt`; false where the medium that it lies on is gone.
    private let write: (_ text: [UInt8], _ path: String) -> Bool
    private var refusals = 0
    private var noTryBefore = MonotonicTime.zero

    package init(
        places: TakeoverPlaces, clock: any StudyClock, reaches: @escaping (String) -> Bool,
        enrol: @escaping (EnrolmentRequest) async throws -> Bool,
        write: @escaping (_ text: [UInt8], _ path: String) -> Bool = { (try? AtomicFile.write($0, to: $1)) != nil }
    ) {
        self.write = write
        self.places = places
        self.clock = clock
        self.reaches = reaches
        self.enrol = enrol
    }

    /// One try of everything that is left; true where nothing remains to be tried before the next
    /// boot. Throws where what is left cannot be kept.
    package mutating func takeTurn() async throws -> Bool {
        guard let before = TakeoverRest.read(places.rest) else { return true }
        var rest = before
        let isEnrolmentOver = try await enrol(&rest)
        let isCloudInitOver = try endCloudInit(&rest)
        // Without a network there is a turn each ten seconds, for weeks: each write wears the flash and may
        // leave another copy of the token on it.
        if rest != before || rest.isDone { try rest.keep(at: places.rest) }
        return isEnrolmentOver && isCloudInitOver
    }

    private mutating func enrol(_ rest: inout TakeoverRest) async throws -> Bool {
        guard let request = rest.request, refusals < Self.tries else { return true }
        guard clock.monotonic >= noTryBefore, let server = rest.server, reaches(server) else { return false }
        do {
            guard try await enrol(request) else { return false }
            (rest.request, rest.refusal) = (nil, nil)
            // Without the participant there is nothing to report.
            guard let present = try? places.participation() else { return true }
            rest.enrolled = present.participant
            // Where the stick is gone, `waitingSince` stays: by it the stick is known when it is plugged in
            // again.
            if report(.taken(participant: present.participant, study: present.study ?? "", remarks: []), rest) {
                rest.waitingSince = nil
            }
            return true
        } catch {
            refusals += 1
            noTryBefore = clock.monotonic + Self.pause
            guard refusals == Self.tries else { return false }
            let refusal = TakeoverMistake(of: error, otherwise: .refusedByStudy)
            rest.refusal = refusal
            report(.refused([refusal]), rest)
            return true
        }
    }

    private func endCloudInit(_ rest: inout TakeoverRest) throws -> Bool {
        guard rest.waitsForCloudInit else { return true }
        rest.waitsForCloudInit = try !places.endCloudInit()
        return !rest.waitsForCloudInit
    }

    @discardableResult
    private func report(_ outcome: TakeoverOutcome, _ rest: TakeoverRest) -> Bool {
        let words = rest.language.map(Words.init(for:)) ?? .english
        return write(Array(outcome.text(date: clock.now.rfc3339(), words: words).utf8), rest.result)
    }
}
