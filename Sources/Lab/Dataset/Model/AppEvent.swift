// SPDX-License-Identifier: Apache-2.0
import Base

/// What a platform's app logs of itself: a page, and what happened there.
package struct AppEvent: Sendable, Hashable {
    package let time: StudyTime
    package let page: String
    package let event: String

    package init(time: StudyTime, page: String, event: String) {
        (self.time, self.page, self.event) = (time, page, event)
    }
}
