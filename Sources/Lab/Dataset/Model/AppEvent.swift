// SPDX-License-Identifier: Apache-2.0

/// What a platform's app logs of itself: a page, and what happened there. `LabSubmissions` and `LabPlatforms`
/// read them; `events.csv` lists them (`EventRow`).
package struct AppEvent: Sendable, Hashable {
    package let time: StudyTime
    package let page: String
    package let event: String
}
