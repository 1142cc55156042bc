// SPDX-License-Identifier: Apache-2.0
import Base
import Database
import Glibc
import SystemKit

/// Why a folder was not taken over, or what an assistant should know although it was: found by `TakeoverPlan` or thrown
/// by a step, written to `RESULT.txt` and signalled by `TakeoverOutcome`.
package struct TakeoverMistake: ExplainedError, Codable, Sendable, Hashable {
    /// The raw value is signalled by light and sound: a long beat for each ten, a short beat for each one.
    package enum Kind: Int, Codable, Sendable, Hashable, CaseIterable {
        case noSetup = 11
        case badSetup = 12
        case noStudy = 13
        case badStudy = 14
        case badConsent = 15
        case badPackage = 16
        case badToken = 21
        case otherParticipant = 22
        /// Another folder for the participant who is already on this device.
        case secondFolder = 23
        case refusedByStudy = 24
        case unknownBoard = 31
        case busOff = 32
        case wrongChip = 33
        case boardCannotAsk = 34
        case diskFull = 41
        case noNetwork = 42
        /// The folder is taken over all the same.
        case oldClock = 43
        case badNetworkFile = 44
        /// The folder is taken over all the same.
        case slowBoots = 45
        /// The folder is taken over all the same.
        case ignoredWiFi = 46
        /// A step failed that should not have.
        case failed = 51
    }

    package let kind: Kind
    package let explanation: Explanation

    package init(_ kind: Kind, _ explanation: Explanation) {
        self.kind = kind
        self.explanation = explanation
    }

    package init(_ kind: Kind, at place: String? = nil, _ cause: String, remedy: String? = nil) {
        self.init(kind, Explanation(place: place, cause: cause, remedy: remedy))
    }

    /// From an error that a step threw: `.diskFull` where the card is full, else `kind`.
    package init(of error: any Error, otherwise kind: Kind) {
        let code = (error as? FileError)?.code
        let isFull = code == ENOSPC || code == EDQUOT || (error as? DatabaseError)?.kind == .diskFull
        self.init(isFull ? .diskFull : kind, Explanation(error))
    }
}
