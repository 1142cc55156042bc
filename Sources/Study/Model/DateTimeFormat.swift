// SPDX-License-Identifier: Apache-2.0

/// Which parts of a civil time are asked (`AnswerFormat.dateTime`).
package enum DateTimeFormat: String, Sendable, Hashable {
    case date, time, dateTime
}
