// SPDX-License-Identifier: Apache-2.0

/// The functions that every script has, by their names: `MerlinCompiler` finds them, `MerlinLibrary` performs
/// them. A script's own function of such a name is never called.
enum MerlinNative: UInt8, CaseIterable {
    case getQuestionnaireVar, getQuestionnaireVarAlternative, setVirtualItem
    case day, seconds, minutes, hours, timestamp
    case triggerQuestionnaire, triggerNotification, triggerMessage, log
    case reverse, sum, mean, max, min, `var`, sd, floor, ceil, round
    case any, size, filterNone, shuffle, random, lang

    static let named = Dictionary(allCases.map { ("\($0)", $0) }) { first, _ in first }

    var arity: Int {
        switch self {
        case .day, .seconds, .minutes, .hours, .timestamp, .lang: 0
        case .getQuestionnaireVarAlternative, .setVirtualItem, .round, .random: 2
        case .triggerQuestionnaire, .reverse: 3
        default: 1
        }
    }
}
