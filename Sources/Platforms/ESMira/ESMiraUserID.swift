// SPDX-License-Identifier: Apache-2.0
import Study

/// The app's `userId`: three groups of four characters (`DbUser.kt`), without those that are easily confused.
/// `ESMiraPlatform` draws one for each device.
enum ESMiraUserID {
    private static let alphabet = Array("123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnpqrstuvwxyz")

    static func draw(using generator: inout some RandomNumberGenerator) -> ParticipantID {
        let groups = (0..<3).map { _ in
            String((0..<4).map { _ in alphabet[Int(generator.next(upperBound: UInt64(alphabet.count)))] })
        }
        return ParticipantID(groups.joined(separator: "-"))
    }

    static func isValid(_ text: String) -> Bool {
        let groups = text.split(separator: "-", omittingEmptySubsequences: false)
        return groups.count == 3 && groups.allSatisfy { $0.count == 4 && $0.allSatisfy(alphabet.contains) }
    }
}
